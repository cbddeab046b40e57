//! The VST3 plugin as a host finds it: through the factory.

use super::*;
use myriad_engine::params::COUNT;
use nice_plug::prelude::Vst3Plugin;
use nice_plug::wrapper::vst3::vst3::{ComPtr, ComWrapper, Interface};
use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

const OWN: i32 = COUNT as i32 + 2;
const RATE: f64 = 48_000.0;

fn instance() -> ComPtr<IComponent> {
    // SAFETY: the factory is owned by who asks for it; pointers are to what they should be.
    unsafe {
        let factory = ComPtr::from_raw(GetPluginFactory().cast::<IPluginFactory>()).unwrap();
        let mut made: *mut c_void = null_mut();
        let class = Myriad::PLATFORM_VST3_CLASS_ID;
        let interface = IComponent::IID;
        let result =
            factory.createInstance(class.as_ptr().cast(), interface.as_ptr().cast(), &mut made);
        assert_eq!(result, kResultOk);
        ComPtr::from_raw(made.cast::<IComponent>()).unwrap()
    }
}

fn controller(instance: &ComPtr<IComponent>) -> ComPtr<IEditController> {
    instance.cast().unwrap()
}

fn info(controller: &ComPtr<IEditController>, index: i32) -> Option<ParameterInfo> {
    // SAFETY: zeros are a valid description, and it is there to be written to.
    unsafe {
        let mut info = std::mem::zeroed();
        (controller.getParameterInfo(index, &mut info) == kResultOk).then_some(info)
    }
}

fn title(info: &ParameterInfo) -> String {
    let end = info.title.iter().position(|&letter| letter == 0).unwrap();
    String::from_utf16(&info.title[..end]).unwrap()
}

/// Activates, or says why not.
fn activate(instance: &ComPtr<IComponent>, rate: f64) -> tresult {
    let mut setup = ProcessSetup {
        processMode: 0,
        symbolicSampleSize: 0,
        maxSamplesPerBlock: 512,
        sampleRate: rate,
    };
    let processor: ComPtr<IAudioProcessor> = instance.cast().unwrap();
    // SAFETY: in the order that VST3 wants.
    unsafe {
        assert_eq!(processor.setupProcessing(&mut setup), kResultOk);
        instance.setActive(1)
    }
}

#[test]
fn the_factory_makes_myriad_and_nothing_else() {
    // SAFETY: as in `instance`.
    unsafe {
        let factory = ComPtr::from_raw(GetPluginFactory().cast::<IPluginFactory>()).unwrap();
        let factory: ComPtr<IPluginFactory3> = factory.cast().unwrap();
        assert_eq!(factory.countClasses(), 1);
        let mut class = std::mem::zeroed();
        assert_eq!(factory.getClassInfo2(0, &mut class), kResultOk);
        assert_eq!(class.cid.map(|byte| byte as u8), Myriad::PLATFORM_VST3_CLASS_ID);
        assert_eq!(factory.getClassInfo2(1, &mut class), kInvalidArgument);
        assert_eq!(factory.getClassInfo2(0, null_mut()), kInvalidArgument);
        let mut made: *mut c_void = null_mut();
        let other = [0_u8; 16].as_ptr().cast();
        let interface = IComponent::IID;
        let result = factory.createInstance(other, interface.as_ptr().cast(), &mut made);
        assert_eq!((result, made), (kInvalidArgument, null_mut()));
    }
}

#[test]
fn macros_come_first_and_few_controllers_are_hidden_behind() {
    let controller = controller(&instance());
    // SAFETY: it may be called at any time.
    let count = unsafe { controller.getParameterCount() };
    assert_eq!(count, OWN + 235);
    let infos: Vec<_> = (0..count).map(|index| info(&controller, index).unwrap()).collect();
    assert!(info(&controller, count).is_none() && info(&controller, -1).is_none());
    for (index, info) in infos[..8].iter().enumerate() {
        assert_eq!(title(info), format!("Macro {}", index + 1));
    }
    assert_eq!(infos.iter().map(|info| info.id).collect::<HashSet<_>>().len(), infos.len());
    assert_eq!(infos.iter().map(title).collect::<HashSet<_>>().len(), infos.len());
    let (own, hidden) = infos.split_at(OWN as usize);
    // pedalboard leaves out what has such a name.
    assert!(own.iter().all(|info| !title(info).starts_with("MIDI CC ")));
    for info in hidden {
        assert!(title(info).starts_with("MIDI CC "), "{}", title(info));
        let bend = title(info).contains("Pitch Bend");
        assert_eq!(info.defaultNormalizedValue, if bend { 0.5 } else { 0.0 });
        // SAFETY: it may be called at any time.
        let value = unsafe { controller.getParamNormalized(info.id) };
        assert_eq!(value, info.defaultNormalizedValue);
    }
}

#[test]
fn every_controller_of_every_channel_has_a_listed_parameter() {
    let instance = instance();
    let controller = controller(&instance);
    let mapping: ComPtr<IMidiMapping> = instance.cast().unwrap();
    let assigned = |channel, number| {
        let mut id = 0;
        // SAFETY: the id is there to be written to.
        let result = unsafe { mapping.getMidiControllerAssignment(0, channel, number, &mut id) };
        (result == kResultOk).then_some(id)
    };
    let listed: HashSet<u32> =
        (OWN..OWN + LISTED).map(|index| info(&controller, index).unwrap().id).collect();
    for number in 0..CONTROLLERS {
        let ids: Vec<u32> =
            (0..CHANNELS).map(|channel| assigned(channel, number).unwrap()).collect();
        assert!(ids.iter().all(|id| listed.contains(id)), "{number}");
        let distinct = ids.iter().collect::<HashSet<_>>().len();
        let expected = if PER_CHANNEL.contains(&number) { 16 } else { 1 };
        assert_eq!(distinct, expected, "{number}");
        // nice-plug reads channel and number from the id.
        assert_eq!(Controller::of(ids[0]), Some(Controller { channel: 0, number }));
    }
    for (channel, number) in [(-1, 1), (16, 1), (0, -1), (0, CONTROLLERS), (16, PITCH_BEND)] {
        assert_eq!(assigned(channel, number), None, "{channel} {number}");
    }
}

#[test]
fn latency_is_known_before_activation() {
    let instance = instance();
    let processor: ComPtr<IAudioProcessor> = instance.cast().unwrap();
    // SAFETY: it may be called at any time.
    let latency = || unsafe { processor.getLatencySamples() };
    let before = latency();
    assert_eq!(activate(&instance, RATE), kResultOk);
    assert_eq!((before, latency()), (LATENCY, LATENCY));
}

#[test]
fn any_rate_is_accepted() {
    // The last is that of Steinberg's validator.
    for rate in [22_050.0, 768_000.0, 1_234_567.8] {
        assert_eq!(activate(&instance(), rate), kResultOk, "{rate}");
    }
}

#[test]
fn a_deactivated_instance_takes_parameters_at_once() {
    let instance = instance();
    let controller = controller(&instance);
    let processor: ComPtr<IAudioProcessor> = instance.cast().unwrap();
    let bypass = (0..OWN).map(|index| info(&controller, index).unwrap());
    let bypass = bypass.into_iter().find(|info| title(info) == "Bypass").unwrap().id;
    assert_eq!(activate(&instance, RATE), kResultOk);
    // SAFETY: in an order that hosts use; a host should also end processing, but some do not.
    unsafe {
        assert_eq!(processor.setProcessing(1), kResultOk);
        assert_eq!(instance.setActive(0), kResultOk);
        assert_eq!(controller.setParamNormalized(bypass, 1.0), kResultOk);
        assert_eq!(controller.getParamNormalized(bypass), 1.0);
    }
}

/// VST3 hosts see nine outputs, of which only the main one is active; they may give memory for all of
/// them, for the main one alone, or none for those that they have not activated.
#[test]
fn outputs_are_there_when_hosts_ask_for_them() {
    let instance = instance();
    let processor: ComPtr<IAudioProcessor> = instance.cast().unwrap();
    let [audio, output] =
        [MediaTypes_::kAudio as MediaType, BusDirections_::kOutput as BusDirection];
    // SAFETY: in the order that VST3 wants; pointers are to what they should be.
    unsafe {
        assert_eq!(instance.getBusCount(audio, output), 9);
        for index in 0..9 {
            let mut info = std::mem::zeroed();
            assert_eq!(instance.getBusInfo(audio, output, index, &mut info), kResultOk);
            let active = info.flags & BusInfo_::BusFlags_::kDefaultActive as uint32 != 0;
            assert_eq!((active, info.channelCount), (index == 0, 2));
        }
        assert_eq!(instance.activateBus(audio, output, 3, 1), kResultOk);
        // JUCE switches an output off by asking for no channels.
        let (stereo, none) = (SpeakerArr::kStereo, SpeakerArr::kEmpty);
        let arranged = |outputs: &mut [SpeakerArrangement]| {
            let mut inputs = [stereo];
            let count = outputs.len() as int32;
            processor.setBusArrangements(inputs.as_mut_ptr(), 0, outputs.as_mut_ptr(), count)
        };
        assert_eq!(arranged(&mut [stereo, none, stereo]), kResultFalse);
        assert_eq!(arranged(&mut [none; 9]), kResultFalse);
        let mut wanted = [none; 9];
        (wanted[0], wanted[3]) = (stereo, stereo);
        assert_eq!(arranged(&mut wanted), kResultOk);
        for (index, wanted) in wanted.into_iter().enumerate() {
            let mut now = 99;
            let result = processor.getBusArrangement(output, index as int32, &mut now);
            assert_eq!((result, now), (kResultOk, wanted), "{index}");
        }
        assert_eq!(activate(&instance, RATE), kResultOk);
        assert_eq!(processor.setProcessing(1), kResultOk);
        for given in [9, 1, 4] {
            let mut sound = vec![[f32::NAN; 256]; 18];
            let mut channels: Vec<[*mut f32; 2]> = sound
                .chunks_exact_mut(2)
                .map(|pair| {
                    let [left, right] = pair else { unreachable!() };
                    [left.as_mut_ptr(), right.as_mut_ptr()]
                })
                .collect();
            let mut buses: Vec<AudioBusBuffers> = channels
                .iter_mut()
                .map(|channels| AudioBusBuffers {
                    numChannels: 2,
                    silenceFlags: 0,
                    __field0: AudioBusBuffers__type0 { channelBuffers32: channels.as_mut_ptr() },
                })
                .collect();
            if given == 4 {
                // Not activated, so without memory.
                buses[1].numChannels = 0;
                buses[2].__field0.channelBuffers32 = null_mut();
            }
            let mut data: ProcessData = std::mem::zeroed();
            (data.numSamples, data.numOutputs) = (256, given);
            data.outputs = buses.as_mut_ptr();
            assert_eq!(processor.process(&mut data), kResultOk);
            for (index, pair) in sound.chunks_exact(2).enumerate() {
                let written = pair.iter().flatten().all(|x| *x == 0.0);
                let has_memory = index < given as usize && !(given == 4 && [1, 2].contains(&index));
                assert_eq!(written, has_memory, "output {index} of {given}");
            }
        }
    }
}

/// A host that is told of changes.
#[derive(Default)]
struct Handler(AtomicI32);

impl Class for Handler {
    type Interfaces = (IComponentHandler,);
}

impl IComponentHandlerTrait for Handler {
    unsafe fn beginEdit(&self, _id: ParamID) -> tresult {
        kResultOk
    }
    unsafe fn performEdit(&self, _id: ParamID, _value: ParamValue) -> tresult {
        kResultOk
    }
    unsafe fn endEdit(&self, _id: ParamID) -> tresult {
        kResultOk
    }
    unsafe fn restartComponent(&self, flags: int32) -> tresult {
        self.0.fetch_or(flags, Relaxed);
        kResultOk
    }
}

#[test]
fn macros_have_the_names_of_the_patch() {
    let made = Instance::new();
    let handler = ComWrapper::new(Handler::default());
    let told = || handler.0.swap(0, Relaxed) & RestartFlags_::kParamTitlesChanged != 0;
    let names = || {
        (0..8).map(|index| {
            // SAFETY: zeros are a valid description, and it is there to be written to.
            let info = unsafe {
                let mut info = std::mem::zeroed();
                assert_eq!(made.getParameterInfo(index, &mut info), kResultOk);
                info
            };
            title(&info)
        })
    };
    // SAFETY: the handler lives.
    unsafe {
        made.setComponentHandler(handler.as_com_ref::<IComponentHandler>().unwrap().as_ptr());
    }
    assert!(names().eq((1..=8).map(|number| format!("Macro {number}"))) && !told());
    let mut names_of_patch = <[String; 8]>::default();
    names_of_patch[1] = "Growl".into();
    made.shared.macro_names.set(&names_of_patch);
    assert_eq!(names().nth(1).unwrap(), "Growl");
    assert_eq!(names().nth(2).unwrap(), "Macro 3");
    assert!(told());
    made.shared.macro_names.set(&names_of_patch);
    assert!(!told(), "nothing has changed");
    // SAFETY: as hosts end an instance.
    unsafe { made.terminate() };
    made.shared.macro_names.set(&Default::default());
    assert!(!told(), "the host is gone");
}
