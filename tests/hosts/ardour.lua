-- Myriad in Ardour, without a screen: load, list, play, set, save, restore, many at once.
-- Run by in_ardour.py with the folder for its session in MYRIAD_SESSION.

local folder = os.getenv("MYRIAD_SESSION")
local PLUGINS = 16

AudioEngine:set_backend("None (Dummy)", "", "")
-- Ardour 7 connects new tracks in a thread of its own, which can deadlock with a track that is being changed.
ARDOUR.config():set_output_auto_connect(ARDOUR.AutoConnectOption.ManualConnect)
ARDOUR.config():set_input_auto_connect(ARDOUR.AutoConnectOption.ManualConnect)
local session = create_session(folder, "test", 48000)
assert(session, "a session")

local function channels(kind, count)
  return ARDOUR.ChanCount(ARDOUR.DataType(kind), count)
end

local function new_track(name)
  -- Without audio outputs at first: Ardour would take them away until there is a plugin, later and by another thread,
  -- so that now and then their names were not free yet when the plugin brought them back.
  local tracks = session:new_midi_track(
    channels("midi", 1), channels("midi", 1), true, ARDOUR.PluginInfo(), nil, nil, 1, name,
    ARDOUR.PresentationInfo.max_order, ARDOUR.TrackMode.Normal, true, false)
  local track = tracks:front()
  local plugin = ARDOUR.LuaAPI.new_plugin(session, "Myriad", ARDOUR.PluginType.VST3, "")
  assert(not plugin:isnil(), "the plugin loads")
  -- Ardour's thread for latencies reads the list of ports, which this changes, without a lock.
  sleep(0.1)
  assert(track:add_processor_by_index(plugin, 0, nil, true) == 0, "the track takes it")
  sleep(0.1)
  return track, plugin
end

local function say(track, bytes)
  local message = C.ByteVector()
  message:add(bytes)
  local midi = track:to_track():to_midi_track()
  assert(midi:write_immediate_event(Evoral.EventType.MIDI_EVENT, message:size(), message:to_array()))
end

-- The loudest of both outputs in decibels; the first meter is that of MIDI.
local function level(track)
  local meter = track:peak_meter()
  return math.max(meter:meter_level(1, ARDOUR.MeterType.MeterPeak), meter:meter_level(2, ARDOUR.MeterType.MeterPeak))
end

-- Waits until something is so: machines are slow at times.
local function eventually(what, is_so)
  for _ = 1, 300 do
    if is_so() then return end
    sleep(0.1)
  end
  error("never: " .. what)
end

local function parameters(plugin)
  local found = {}
  local inner = plugin:to_insert():plugin(0)
  for index = 0, inner:parameter_count() - 1 do
    local _, described = inner:get_parameter_descriptor(index, ARDOUR.ParameterDescriptor())
    found[described[2].label] = index
  end
  return found
end

local function value(plugin, index)
  return ARDOUR.LuaAPI.get_processor_param(plugin, index)
end

local track, plugin = new_track("one")
local index = parameters(plugin)
assert(index["Filter Cutoff"] and index["Macro 8"] and index["LFO 3 Rate"], "its parameters are listed")
assert(plugin:to_insert():signal_latency() == 64, "its latency is known")
assert(level(track) < -100, "silence before the first note")

say(track, {0x90, 60, 100})
eventually("a note sounds", function() return level(track) > -40 end)
say(track, {0x80, 60, 64})
eventually("the note ends", function() return level(track) < -100 end)

-- A parameter that is set is heard, and kept by the session.
ARDOUR.LuaAPI.set_processor_param(plugin, index["Amp Level"], 0.0)
ARDOUR.LuaAPI.set_processor_param(plugin, index["Source Table"], 5)
eventually("the parameters arrive", function()
  return value(plugin, index["Amp Level"]) == 0 and value(plugin, index["Source Table"]) == 5
end)
say(track, {0x90, 60, 100})
eventually("a softer note", function() return level(track) > -100 end)
assert(level(track) < -60, "at -60 dB it is soft")
plugin:deactivate()
plugin:activate()
say(track, {0xB0, 120, 0})
eventually("silence after all sound off", function() return level(track) < -100 end)

for number = 2, PLUGINS do
  new_track("more " .. number)
end
for number = 2, PLUGINS do
  say(session:route_by_name("more " .. number), {0x90, 40 + number, 100})
end
for number = 2, PLUGINS do
  local other = session:route_by_name("more " .. number)
  eventually("instance " .. number .. " sounds", function() return level(other) > -40 end)
end
assert(level(track) < -100, "and the first is silent")

assert(session:save_state("", false, false, false, false, false) == 0, "the session is saved")
close_session()

session = load_session(folder, "test")
assert(session, "the session opens again")
track = session:route_by_name("one")
plugin = track:nth_plugin(0)
assert(value(plugin, index["Amp Level"]) == 0 and value(plugin, index["Source Table"]) == 5, "values are kept")
local other = session:route_by_name("more 2")
assert(value(other:nth_plugin(0), index["Source Table"]) == 0, "each instance keeps its own")
say(other, {0x90, 60, 100})
eventually("a restored instance sounds", function() return level(other) > -40 end)
close_session()
print("MYRIAD PASSED")
quit()
