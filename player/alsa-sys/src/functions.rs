//! Functions of ALSA, made by ../regenerate from alsa-sys 0.4.0.

use crate::types::*;
use libc::pollfd;

functions! {
pub fn snd_output_buffer_open(outputp: *mut *mut snd_output_t) -> ::core::ffi::c_int;
pub fn snd_output_buffer_string(
        output: *mut snd_output_t,
        buf: *mut *mut ::core::ffi::c_char,
    ) -> usize;
pub fn snd_output_close(output: *mut snd_output_t) -> ::core::ffi::c_int;
pub fn snd_output_vprintf(
        output: *mut snd_output_t,
        format: *const ::core::ffi::c_char,
        args: *mut __va_list_tag,
    ) -> ::core::ffi::c_int;
pub fn snd_output_puts(
        output: *mut snd_output_t,
        str_: *const ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_output_putc(output: *mut snd_output_t, c: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_lib_error_set_local(func: snd_local_error_handler_t) -> snd_local_error_handler_t;
pub fn snd_config_save(config: *mut snd_config_t, out: *mut snd_output_t)
    -> ::core::ffi::c_int;
pub fn snd_config_update() -> ::core::ffi::c_int;
pub fn snd_config_update_free_global() -> ::core::ffi::c_int;
pub fn snd_config_update_ref(top: *mut *mut snd_config_t) -> ::core::ffi::c_int;
pub fn snd_config_unref(top: *mut snd_config_t);
pub fn snd_pcm_open(
        pcm: *mut *mut snd_pcm_t,
        name: *const ::core::ffi::c_char,
        stream: snd_pcm_stream_t,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_close(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_type(pcm: *mut snd_pcm_t) -> snd_pcm_type_t;
pub fn snd_pcm_poll_descriptors_count(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_poll_descriptors(
        pcm: *mut snd_pcm_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_poll_descriptors_revents(
        pcm: *mut snd_pcm_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revents: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_info(pcm: *mut snd_pcm_t, info: *mut snd_pcm_info_t) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_current(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_current(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_prepare(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_reset(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_status(pcm: *mut snd_pcm_t, status: *mut snd_pcm_status_t)
    -> ::core::ffi::c_int;
pub fn snd_pcm_start(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_drop(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_drain(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_pause(pcm: *mut snd_pcm_t, enable: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_pcm_state(pcm: *mut snd_pcm_t) -> snd_pcm_state_t;
pub fn snd_pcm_delay(pcm: *mut snd_pcm_t, delayp: *mut snd_pcm_sframes_t)
    -> ::core::ffi::c_int;
pub fn snd_pcm_resume(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_avail(pcm: *mut snd_pcm_t) -> snd_pcm_sframes_t;
pub fn snd_pcm_avail_update(pcm: *mut snd_pcm_t) -> snd_pcm_sframes_t;
pub fn snd_pcm_avail_delay(
        pcm: *mut snd_pcm_t,
        availp: *mut snd_pcm_sframes_t,
        delayp: *mut snd_pcm_sframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_writei(
        pcm: *mut snd_pcm_t,
        buffer: *const ::core::ffi::c_void,
        size: snd_pcm_uframes_t,
    ) -> snd_pcm_sframes_t;
pub fn snd_pcm_readi(
        pcm: *mut snd_pcm_t,
        buffer: *mut ::core::ffi::c_void,
        size: snd_pcm_uframes_t,
    ) -> snd_pcm_sframes_t;
pub fn snd_pcm_writen(
        pcm: *mut snd_pcm_t,
        bufs: *mut *mut ::core::ffi::c_void,
        size: snd_pcm_uframes_t,
    ) -> snd_pcm_sframes_t;
pub fn snd_pcm_readn(
        pcm: *mut snd_pcm_t,
        bufs: *mut *mut ::core::ffi::c_void,
        size: snd_pcm_uframes_t,
    ) -> snd_pcm_sframes_t;
pub fn snd_pcm_wait(pcm: *mut snd_pcm_t, timeout: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_pcm_link(pcm1: *mut snd_pcm_t, pcm2: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_unlink(pcm: *mut snd_pcm_t) -> ::core::ffi::c_int;
pub fn snd_pcm_query_chmaps(pcm: *mut snd_pcm_t) -> *mut *mut snd_pcm_chmap_query_t;
pub fn snd_pcm_free_chmaps(maps: *mut *mut snd_pcm_chmap_query_t);
pub fn snd_pcm_get_chmap(pcm: *mut snd_pcm_t) -> *mut snd_pcm_chmap_t;
pub fn snd_pcm_set_chmap(
        pcm: *mut snd_pcm_t,
        map: *const snd_pcm_chmap_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_chmap_long_name(val: snd_pcm_chmap_position) -> *const ::core::ffi::c_char;
pub fn snd_pcm_chmap_print(
        map: *const snd_pcm_chmap_t,
        maxlen: usize,
        buf: *mut ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_recover(
        pcm: *mut snd_pcm_t,
        err: ::core::ffi::c_int,
        silent: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_get_params(
        pcm: *mut snd_pcm_t,
        buffer_size: *mut snd_pcm_uframes_t,
        period_size: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_info_malloc(ptr: *mut *mut snd_pcm_info_t) -> ::core::ffi::c_int;
pub fn snd_pcm_info_free(obj: *mut snd_pcm_info_t);
pub fn snd_pcm_info_get_device(obj: *const snd_pcm_info_t) -> ::core::ffi::c_uint;
pub fn snd_pcm_info_get_subdevice(obj: *const snd_pcm_info_t) -> ::core::ffi::c_uint;
pub fn snd_pcm_info_get_stream(obj: *const snd_pcm_info_t) -> snd_pcm_stream_t;
pub fn snd_pcm_info_get_card(obj: *const snd_pcm_info_t) -> ::core::ffi::c_int;
pub fn snd_pcm_info_get_id(obj: *const snd_pcm_info_t) -> *const ::core::ffi::c_char;
pub fn snd_pcm_info_get_name(obj: *const snd_pcm_info_t) -> *const ::core::ffi::c_char;
pub fn snd_pcm_info_get_subdevice_name(
        obj: *const snd_pcm_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_pcm_info_get_subdevices_count(obj: *const snd_pcm_info_t) -> ::core::ffi::c_uint;
pub fn snd_pcm_info_get_subdevices_avail(obj: *const snd_pcm_info_t) -> ::core::ffi::c_uint;
pub fn snd_pcm_info_set_device(obj: *mut snd_pcm_info_t, val: ::core::ffi::c_uint);
pub fn snd_pcm_info_set_subdevice(obj: *mut snd_pcm_info_t, val: ::core::ffi::c_uint);
pub fn snd_pcm_info_set_stream(obj: *mut snd_pcm_info_t, val: snd_pcm_stream_t);
pub fn snd_pcm_hw_params_any(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_can_pause(params: *const snd_pcm_hw_params_t) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_can_resume(params: *const snd_pcm_hw_params_t) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_supports_audio_ts_type(
        params: *const snd_pcm_hw_params_t,
        type_: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_malloc(ptr: *mut *mut snd_pcm_hw_params_t) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_free(obj: *mut snd_pcm_hw_params_t);
pub fn snd_pcm_hw_params_copy(dst: *mut snd_pcm_hw_params_t, src: *const snd_pcm_hw_params_t);
pub fn snd_pcm_hw_params_get_access(
        params: *const snd_pcm_hw_params_t,
        _access: *mut snd_pcm_access_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_test_access(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        _access: snd_pcm_access_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_access(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        _access: snd_pcm_access_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_format(
        params: *const snd_pcm_hw_params_t,
        val: *mut snd_pcm_format_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_test_format(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: snd_pcm_format_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_format(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: snd_pcm_format_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_channels(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_channels_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_channels_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_test_channels(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_channels(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_channels_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_rate(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_rate_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_rate_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_test_rate(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_rate(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_rate_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_rate_resample(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_rate_resample(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_time(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_time_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_time_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_time(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_time_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_time_max(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_time_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_size(
        params: *const snd_pcm_hw_params_t,
        frames: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_size_min(
        params: *const snd_pcm_hw_params_t,
        frames: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_period_size_max(
        params: *const snd_pcm_hw_params_t,
        frames: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_size(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: snd_pcm_uframes_t,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_size_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_size_max(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_period_size_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_periods(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_periods_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_periods_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_periods(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_periods_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_periods_max(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_periods_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_time(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_time_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_time_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_time(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: ::core::ffi::c_uint,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_time_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_time_max(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_time_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut ::core::ffi::c_uint,
        dir: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_size(
        params: *const snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_size_min(
        params: *const snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_get_buffer_size_max(
        params: *const snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_size(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_size_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_size_max(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_set_buffer_size_near(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_hw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_malloc(ptr: *mut *mut snd_pcm_sw_params_t) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_free(obj: *mut snd_pcm_sw_params_t);
pub fn snd_pcm_sw_params_get_boundary(
        params: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_set_tstamp_mode(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
        val: snd_pcm_tstamp_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_get_tstamp_mode(
        params: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_tstamp_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_set_tstamp_type(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
        val: snd_pcm_tstamp_type_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_get_tstamp_type(
        params: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_tstamp_type_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_set_avail_min(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
        val: snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_get_avail_min(
        params: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_set_start_threshold(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
        val: snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_get_start_threshold(
        paramsm: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_set_stop_threshold(
        pcm: *mut snd_pcm_t,
        params: *mut snd_pcm_sw_params_t,
        val: snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_get_stop_threshold(
        params: *const snd_pcm_sw_params_t,
        val: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_status_sizeof() -> usize;
pub fn snd_pcm_status_get_state(obj: *const snd_pcm_status_t) -> snd_pcm_state_t;
pub fn snd_pcm_status_get_trigger_htstamp(
        obj: *const snd_pcm_status_t,
        ptr: *mut snd_htimestamp_t,
    );
pub fn snd_pcm_status_get_htstamp(obj: *const snd_pcm_status_t, ptr: *mut snd_htimestamp_t);
pub fn snd_pcm_status_get_audio_htstamp(
        obj: *const snd_pcm_status_t,
        ptr: *mut snd_htimestamp_t,
    );
pub fn snd_pcm_status_set_audio_htstamp_config(
        obj: *mut snd_pcm_status_t,
        audio_tstamp_config: *mut snd_pcm_audio_tstamp_config_t,
    );
pub fn snd_pcm_status_get_delay(obj: *const snd_pcm_status_t) -> snd_pcm_sframes_t;
pub fn snd_pcm_status_get_avail(obj: *const snd_pcm_status_t) -> snd_pcm_uframes_t;
pub fn snd_pcm_status_get_avail_max(obj: *const snd_pcm_status_t) -> snd_pcm_uframes_t;
pub fn snd_pcm_status_get_overrange(obj: *const snd_pcm_status_t) -> snd_pcm_uframes_t;
pub fn snd_pcm_dump(pcm: *mut snd_pcm_t, out: *mut snd_output_t) -> ::core::ffi::c_int;
pub fn snd_pcm_dump_hw_setup(pcm: *mut snd_pcm_t, out: *mut snd_output_t)
    -> ::core::ffi::c_int;
pub fn snd_pcm_dump_sw_setup(pcm: *mut snd_pcm_t, out: *mut snd_output_t)
    -> ::core::ffi::c_int;
pub fn snd_pcm_hw_params_dump(
        params: *mut snd_pcm_hw_params_t,
        out: *mut snd_output_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_sw_params_dump(
        params: *mut snd_pcm_sw_params_t,
        out: *mut snd_output_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_status_dump(
        status: *mut snd_pcm_status_t,
        out: *mut snd_output_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_mmap_begin(
        pcm: *mut snd_pcm_t,
        areas: *mut *const snd_pcm_channel_area_t,
        offset: *mut snd_pcm_uframes_t,
        frames: *mut snd_pcm_uframes_t,
    ) -> ::core::ffi::c_int;
pub fn snd_pcm_mmap_commit(
        pcm: *mut snd_pcm_t,
        offset: snd_pcm_uframes_t,
        frames: snd_pcm_uframes_t,
    ) -> snd_pcm_sframes_t;
pub fn snd_pcm_format_little_endian(format: snd_pcm_format_t) -> ::core::ffi::c_int;
pub fn snd_pcm_format_width(format: snd_pcm_format_t) -> ::core::ffi::c_int;
pub fn snd_pcm_format_physical_width(format: snd_pcm_format_t) -> ::core::ffi::c_int;
pub fn snd_pcm_format_silence_16(format: snd_pcm_format_t) -> u16;
pub fn snd_pcm_bytes_to_frames(pcm: *mut snd_pcm_t, bytes: isize) -> snd_pcm_sframes_t;
pub fn snd_pcm_frames_to_bytes(pcm: *mut snd_pcm_t, frames: snd_pcm_sframes_t) -> isize;
pub fn snd_rawmidi_open(
        in_rmidi: *mut *mut snd_rawmidi_t,
        out_rmidi: *mut *mut snd_rawmidi_t,
        name: *const ::core::ffi::c_char,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_close(rmidi: *mut snd_rawmidi_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_poll_descriptors_count(rmidi: *mut snd_rawmidi_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_poll_descriptors(
        rmidi: *mut snd_rawmidi_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_poll_descriptors_revents(
        rawmidi: *mut snd_rawmidi_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revent: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_info_malloc(ptr: *mut *mut snd_rawmidi_info_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_info_free(obj: *mut snd_rawmidi_info_t);
pub fn snd_rawmidi_info_get_device(obj: *const snd_rawmidi_info_t) -> ::core::ffi::c_uint;
pub fn snd_rawmidi_info_get_subdevice(obj: *const snd_rawmidi_info_t) -> ::core::ffi::c_uint;
pub fn snd_rawmidi_info_get_stream(obj: *const snd_rawmidi_info_t) -> snd_rawmidi_stream_t;
pub fn snd_rawmidi_info_get_id(obj: *const snd_rawmidi_info_t) -> *const ::core::ffi::c_char;
pub fn snd_rawmidi_info_get_subdevice_name(
        obj: *const snd_rawmidi_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_rawmidi_info_get_subdevices_count(
        obj: *const snd_rawmidi_info_t,
    ) -> ::core::ffi::c_uint;
pub fn snd_rawmidi_info_set_device(obj: *mut snd_rawmidi_info_t, val: ::core::ffi::c_uint);
pub fn snd_rawmidi_info_set_subdevice(obj: *mut snd_rawmidi_info_t, val: ::core::ffi::c_uint);
pub fn snd_rawmidi_info_set_stream(obj: *mut snd_rawmidi_info_t, val: snd_rawmidi_stream_t);
pub fn snd_rawmidi_info(
        rmidi: *mut snd_rawmidi_t,
        info: *mut snd_rawmidi_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_params(
        rmidi: *mut snd_rawmidi_t,
        params: *mut snd_rawmidi_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_status_malloc(ptr: *mut *mut snd_rawmidi_status_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_status_free(obj: *mut snd_rawmidi_status_t);
pub fn snd_rawmidi_status_get_avail(obj: *const snd_rawmidi_status_t) -> usize;
pub fn snd_rawmidi_status_get_xruns(obj: *const snd_rawmidi_status_t) -> usize;
pub fn snd_rawmidi_status(
        rmidi: *mut snd_rawmidi_t,
        status: *mut snd_rawmidi_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_rawmidi_drain(rmidi: *mut snd_rawmidi_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_drop(rmidi: *mut snd_rawmidi_t) -> ::core::ffi::c_int;
pub fn snd_rawmidi_write(
        rmidi: *mut snd_rawmidi_t,
        buffer: *const ::core::ffi::c_void,
        size: usize,
    ) -> isize;
pub fn snd_rawmidi_read(
        rmidi: *mut snd_rawmidi_t,
        buffer: *mut ::core::ffi::c_void,
        size: usize,
    ) -> isize;
pub fn snd_rawmidi_name(rmidi: *mut snd_rawmidi_t) -> *const ::core::ffi::c_char;
pub fn snd_timer_info(
        handle: *mut snd_timer_t,
        timer: *mut snd_timer_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_timer_params(
        handle: *mut snd_timer_t,
        params: *mut snd_timer_params_t,
    ) -> ::core::ffi::c_int;
pub fn snd_timer_status(
        handle: *mut snd_timer_t,
        status: *mut snd_timer_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_timer_read(
        handle: *mut snd_timer_t,
        buffer: *mut ::core::ffi::c_void,
        size: usize,
    ) -> isize;
pub fn snd_hwdep_info(
        hwdep: *mut snd_hwdep_t,
        info: *mut snd_hwdep_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_hwdep_dsp_status(
        hwdep: *mut snd_hwdep_t,
        status: *mut snd_hwdep_dsp_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_card_next(card: *mut ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_card_get_index(name: *const ::core::ffi::c_char) -> ::core::ffi::c_int;
pub fn snd_card_get_name(
        card: ::core::ffi::c_int,
        name: *mut *mut ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_card_get_longname(
        card: ::core::ffi::c_int,
        name: *mut *mut ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_open(
        ctl: *mut *mut snd_ctl_t,
        name: *const ::core::ffi::c_char,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_close(ctl: *mut snd_ctl_t) -> ::core::ffi::c_int;
pub fn snd_ctl_poll_descriptors_count(ctl: *mut snd_ctl_t) -> ::core::ffi::c_int;
pub fn snd_ctl_poll_descriptors(
        ctl: *mut snd_ctl_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_poll_descriptors_revents(
        ctl: *mut snd_ctl_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revents: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_subscribe_events(
        ctl: *mut snd_ctl_t,
        subscribe: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_card_info(
        ctl: *mut snd_ctl_t,
        info: *mut snd_ctl_card_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_list(
        ctl: *mut snd_ctl_t,
        list: *mut snd_ctl_elem_list_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_info(
        ctl: *mut snd_ctl_t,
        info: *mut snd_ctl_elem_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_read(
        ctl: *mut snd_ctl_t,
        data: *mut snd_ctl_elem_value_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_write(
        ctl: *mut snd_ctl_t,
        data: *mut snd_ctl_elem_value_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_lock(ctl: *mut snd_ctl_t, id: *mut snd_ctl_elem_id_t)
    -> ::core::ffi::c_int;
pub fn snd_ctl_elem_unlock(
        ctl: *mut snd_ctl_t,
        id: *mut snd_ctl_elem_id_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_pcm_next_device(
        ctl: *mut snd_ctl_t,
        device: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_pcm_info(ctl: *mut snd_ctl_t, info: *mut snd_pcm_info_t) -> ::core::ffi::c_int;
pub fn snd_ctl_rawmidi_next_device(
        ctl: *mut snd_ctl_t,
        device: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_rawmidi_info(
        ctl: *mut snd_ctl_t,
        info: *mut snd_rawmidi_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_read(ctl: *mut snd_ctl_t, event: *mut snd_ctl_event_t) -> ::core::ffi::c_int;
pub fn snd_ctl_wait(ctl: *mut snd_ctl_t, timeout: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_ctl_event_elem_get_mask(obj: *const snd_ctl_event_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_event_elem_get_id(obj: *const snd_ctl_event_t, ptr: *mut snd_ctl_elem_id_t);
pub fn snd_ctl_elem_list_alloc_space(
        obj: *mut snd_ctl_elem_list_t,
        entries: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_list_free_space(obj: *mut snd_ctl_elem_list_t);
pub fn snd_ctl_elem_id_sizeof() -> usize;
pub fn snd_ctl_elem_id_malloc(ptr: *mut *mut snd_ctl_elem_id_t) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_id_free(obj: *mut snd_ctl_elem_id_t);
pub fn snd_ctl_elem_id_get_numid(obj: *const snd_ctl_elem_id_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_id_get_interface(obj: *const snd_ctl_elem_id_t) -> snd_ctl_elem_iface_t;
pub fn snd_ctl_elem_id_get_device(obj: *const snd_ctl_elem_id_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_id_get_subdevice(obj: *const snd_ctl_elem_id_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_id_get_name(obj: *const snd_ctl_elem_id_t) -> *const ::core::ffi::c_char;
pub fn snd_ctl_elem_id_get_index(obj: *const snd_ctl_elem_id_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_id_set_numid(obj: *mut snd_ctl_elem_id_t, val: ::core::ffi::c_uint);
pub fn snd_ctl_elem_id_set_interface(obj: *mut snd_ctl_elem_id_t, val: snd_ctl_elem_iface_t);
pub fn snd_ctl_elem_id_set_device(obj: *mut snd_ctl_elem_id_t, val: ::core::ffi::c_uint);
pub fn snd_ctl_elem_id_set_subdevice(obj: *mut snd_ctl_elem_id_t, val: ::core::ffi::c_uint);
pub fn snd_ctl_elem_id_set_name(obj: *mut snd_ctl_elem_id_t, val: *const ::core::ffi::c_char);
pub fn snd_ctl_elem_id_set_index(obj: *mut snd_ctl_elem_id_t, val: ::core::ffi::c_uint);
pub fn snd_ctl_card_info_malloc(ptr: *mut *mut snd_ctl_card_info_t) -> ::core::ffi::c_int;
pub fn snd_ctl_card_info_free(obj: *mut snd_ctl_card_info_t);
pub fn snd_ctl_card_info_get_card(obj: *const snd_ctl_card_info_t) -> ::core::ffi::c_int;
pub fn snd_ctl_card_info_get_id(obj: *const snd_ctl_card_info_t) -> *const ::core::ffi::c_char;
pub fn snd_ctl_card_info_get_driver(
        obj: *const snd_ctl_card_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_card_info_get_name(
        obj: *const snd_ctl_card_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_card_info_get_longname(
        obj: *const snd_ctl_card_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_card_info_get_mixername(
        obj: *const snd_ctl_card_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_card_info_get_components(
        obj: *const snd_ctl_card_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_event_malloc(ptr: *mut *mut snd_ctl_event_t) -> ::core::ffi::c_int;
pub fn snd_ctl_event_free(obj: *mut snd_ctl_event_t);
pub fn snd_ctl_elem_list_malloc(ptr: *mut *mut snd_ctl_elem_list_t) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_list_free(obj: *mut snd_ctl_elem_list_t);
pub fn snd_ctl_elem_list_get_used(obj: *const snd_ctl_elem_list_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_list_get_count(obj: *const snd_ctl_elem_list_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_list_get_id(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
        ptr: *mut snd_ctl_elem_id_t,
    );
pub fn snd_ctl_elem_list_get_numid(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_list_get_interface(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> snd_ctl_elem_iface_t;
pub fn snd_ctl_elem_list_get_device(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_list_get_subdevice(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_list_get_name(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> *const ::core::ffi::c_char;
pub fn snd_ctl_elem_list_get_index(
        obj: *const snd_ctl_elem_list_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_info_sizeof() -> usize;
pub fn snd_ctl_elem_info_malloc(ptr: *mut *mut snd_ctl_elem_info_t) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_info_free(obj: *mut snd_ctl_elem_info_t);
pub fn snd_ctl_elem_info_get_type(obj: *const snd_ctl_elem_info_t) -> snd_ctl_elem_type_t;
pub fn snd_ctl_elem_info_get_count(obj: *const snd_ctl_elem_info_t) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_value_sizeof() -> usize;
pub fn snd_ctl_elem_value_malloc(ptr: *mut *mut snd_ctl_elem_value_t) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_value_free(obj: *mut snd_ctl_elem_value_t);
pub fn snd_ctl_elem_value_clear(obj: *mut snd_ctl_elem_value_t);
pub fn snd_ctl_elem_value_set_id(obj: *mut snd_ctl_elem_value_t, ptr: *const snd_ctl_elem_id_t);
pub fn snd_ctl_elem_value_get_boolean(
        obj: *const snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_elem_value_get_integer(
        obj: *const snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_long;
pub fn snd_ctl_elem_value_get_integer64(
        obj: *const snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_longlong;
pub fn snd_ctl_elem_value_get_enumerated(
        obj: *const snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uint;
pub fn snd_ctl_elem_value_get_byte(
        obj: *const snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_uchar;
pub fn snd_ctl_elem_value_set_boolean(
        obj: *mut snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
        val: ::core::ffi::c_long,
    );
pub fn snd_ctl_elem_value_set_integer(
        obj: *mut snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
        val: ::core::ffi::c_long,
    );
pub fn snd_ctl_elem_value_set_integer64(
        obj: *mut snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
        val: ::core::ffi::c_longlong,
    );
pub fn snd_ctl_elem_value_set_enumerated(
        obj: *mut snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
        val: ::core::ffi::c_uint,
    );
pub fn snd_ctl_elem_value_set_byte(
        obj: *mut snd_ctl_elem_value_t,
        idx: ::core::ffi::c_uint,
        val: ::core::ffi::c_uchar,
    );
pub fn snd_ctl_elem_set_bytes(
        obj: *mut snd_ctl_elem_value_t,
        data: *mut ::core::ffi::c_void,
        size: usize,
    );
pub fn snd_ctl_elem_value_get_bytes(
        obj: *const snd_ctl_elem_value_t,
    ) -> *const ::core::ffi::c_void;
pub fn snd_ctl_get_dB_range(
        ctl: *mut snd_ctl_t,
        id: *const snd_ctl_elem_id_t,
        min: *mut ::core::ffi::c_long,
        max: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_convert_to_dB(
        ctl: *mut snd_ctl_t,
        id: *const snd_ctl_elem_id_t,
        volume: ::core::ffi::c_long,
        db_gain: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_ctl_convert_from_dB(
        ctl: *mut snd_ctl_t,
        id: *const snd_ctl_elem_id_t,
        db_gain: ::core::ffi::c_long,
        value: *mut ::core::ffi::c_long,
        xdir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_open(
        hctl: *mut *mut snd_hctl_t,
        name: *const ::core::ffi::c_char,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_close(hctl: *mut snd_hctl_t) -> ::core::ffi::c_int;
pub fn snd_hctl_poll_descriptors_count(hctl: *mut snd_hctl_t) -> ::core::ffi::c_int;
pub fn snd_hctl_poll_descriptors(
        hctl: *mut snd_hctl_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_poll_descriptors_revents(
        ctl: *mut snd_hctl_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revents: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_first_elem(hctl: *mut snd_hctl_t) -> *mut snd_hctl_elem_t;
pub fn snd_hctl_find_elem(
        hctl: *mut snd_hctl_t,
        id: *const snd_ctl_elem_id_t,
    ) -> *mut snd_hctl_elem_t;
pub fn snd_hctl_load(hctl: *mut snd_hctl_t) -> ::core::ffi::c_int;
pub fn snd_hctl_handle_events(hctl: *mut snd_hctl_t) -> ::core::ffi::c_int;
pub fn snd_hctl_wait(hctl: *mut snd_hctl_t, timeout: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_hctl_elem_next(elem: *mut snd_hctl_elem_t) -> *mut snd_hctl_elem_t;
pub fn snd_hctl_elem_info(
        elem: *mut snd_hctl_elem_t,
        info: *mut snd_ctl_elem_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_elem_read(
        elem: *mut snd_hctl_elem_t,
        value: *mut snd_ctl_elem_value_t,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_elem_write(
        elem: *mut snd_hctl_elem_t,
        value: *mut snd_ctl_elem_value_t,
    ) -> ::core::ffi::c_int;
pub fn snd_hctl_elem_get_id(obj: *const snd_hctl_elem_t, ptr: *mut snd_ctl_elem_id_t);
pub fn snd_device_name_hint(
        card: ::core::ffi::c_int,
        iface: *const ::core::ffi::c_char,
        hints: *mut *mut *mut ::core::ffi::c_void,
    ) -> ::core::ffi::c_int;
pub fn snd_device_name_free_hint(hints: *mut *mut ::core::ffi::c_void) -> ::core::ffi::c_int;
pub fn snd_device_name_get_hint(
        hint: *const ::core::ffi::c_void,
        id: *const ::core::ffi::c_char,
    ) -> *mut ::core::ffi::c_char;
pub fn snd_mixer_open(
        mixer: *mut *mut snd_mixer_t,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_close(mixer: *mut snd_mixer_t) -> ::core::ffi::c_int;
pub fn snd_mixer_first_elem(mixer: *mut snd_mixer_t) -> *mut snd_mixer_elem_t;
pub fn snd_mixer_handle_events(mixer: *mut snd_mixer_t) -> ::core::ffi::c_int;
pub fn snd_mixer_attach(
        mixer: *mut snd_mixer_t,
        name: *const ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_poll_descriptors_count(mixer: *mut snd_mixer_t) -> ::core::ffi::c_int;
pub fn snd_mixer_poll_descriptors(
        mixer: *mut snd_mixer_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_poll_descriptors_revents(
        mixer: *mut snd_mixer_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revents: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_load(mixer: *mut snd_mixer_t) -> ::core::ffi::c_int;
pub fn snd_mixer_wait(
        mixer: *mut snd_mixer_t,
        timeout: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_elem_next(elem: *mut snd_mixer_elem_t) -> *mut snd_mixer_elem_t;
pub fn snd_mixer_elem_get_type(obj: *const snd_mixer_elem_t) -> snd_mixer_elem_type_t;
pub fn snd_mixer_selem_channel_name(
        channel: snd_mixer_selem_channel_id_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_mixer_selem_register(
        mixer: *mut snd_mixer_t,
        options: *mut snd_mixer_selem_regopt,
        classp: *mut *mut snd_mixer_class_t,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_id(element: *mut snd_mixer_elem_t, id: *mut snd_mixer_selem_id_t);
pub fn snd_mixer_find_selem(
        mixer: *mut snd_mixer_t,
        id: *const snd_mixer_selem_id_t,
    ) -> *mut snd_mixer_elem_t;
pub fn snd_mixer_selem_is_playback_mono(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_playback_channel(
        obj: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_is_capture_mono(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_capture_channel(
        obj: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_playback_volume(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_capture_volume(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_playback_switch(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_has_capture_switch(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_ask_playback_vol_dB(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
        dBvalue: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_ask_capture_vol_dB(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
        dBvalue: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_ask_playback_dB_vol(
        elem: *mut snd_mixer_elem_t,
        dBvalue: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
        value: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_ask_capture_dB_vol(
        elem: *mut snd_mixer_elem_t,
        dBvalue: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
        value: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_playback_volume(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_capture_volume(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_playback_switch(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_capture_switch(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: *mut ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_volume(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_volume(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_dB(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_dB(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_volume_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_volume_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_dB_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_dB_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_long,
        dir: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_switch(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_switch(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        value: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_switch_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_switch_all(
        elem: *mut snd_mixer_elem_t,
        value: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_playback_volume_range(
        elem: *mut snd_mixer_elem_t,
        min: *mut ::core::ffi::c_long,
        max: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_playback_dB_range(
        elem: *mut snd_mixer_elem_t,
        min: *mut ::core::ffi::c_long,
        max: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_playback_volume_range(
        elem: *mut snd_mixer_elem_t,
        min: ::core::ffi::c_long,
        max: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_capture_volume_range(
        elem: *mut snd_mixer_elem_t,
        min: *mut ::core::ffi::c_long,
        max: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_capture_dB_range(
        elem: *mut snd_mixer_elem_t,
        min: *mut ::core::ffi::c_long,
        max: *mut ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_capture_volume_range(
        elem: *mut snd_mixer_elem_t,
        min: ::core::ffi::c_long,
        max: ::core::ffi::c_long,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_is_enumerated(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_is_enum_playback(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_is_enum_capture(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_enum_items(elem: *mut snd_mixer_elem_t) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_enum_item_name(
        elem: *mut snd_mixer_elem_t,
        idx: ::core::ffi::c_uint,
        maxlen: usize,
        str_: *mut ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_get_enum_item(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        idxp: *mut ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_set_enum_item(
        elem: *mut snd_mixer_elem_t,
        channel: snd_mixer_selem_channel_id_t,
        idx: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_mixer_selem_id_sizeof() -> usize;
pub fn snd_mixer_selem_id_get_name(
        obj: *const snd_mixer_selem_id_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_mixer_selem_id_get_index(obj: *const snd_mixer_selem_id_t) -> ::core::ffi::c_uint;
pub fn snd_mixer_selem_id_set_name(
        obj: *mut snd_mixer_selem_id_t,
        val: *const ::core::ffi::c_char,
    );
pub fn snd_mixer_selem_id_set_index(obj: *mut snd_mixer_selem_id_t, val: ::core::ffi::c_uint);
pub fn snd_seq_open(
        handle: *mut *mut snd_seq_t,
        name: *const ::core::ffi::c_char,
        streams: ::core::ffi::c_int,
        mode: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_close(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_poll_descriptors_count(
        handle: *mut snd_seq_t,
        events: ::core::ffi::c_short,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_poll_descriptors(
        handle: *mut snd_seq_t,
        pfds: *mut pollfd,
        space: ::core::ffi::c_uint,
        events: ::core::ffi::c_short,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_poll_descriptors_revents(
        seq: *mut snd_seq_t,
        pfds: *mut pollfd,
        nfds: ::core::ffi::c_uint,
        revents: *mut ::core::ffi::c_ushort,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_client_id(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_set_input_buffer_size(handle: *mut snd_seq_t, size: usize)
    -> ::core::ffi::c_int;
pub fn snd_seq_client_info_malloc(ptr: *mut *mut snd_seq_client_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_client_info_free(ptr: *mut snd_seq_client_info_t);
pub fn snd_seq_client_info_get_client(info: *const snd_seq_client_info_t)
    -> ::core::ffi::c_int;
pub fn snd_seq_client_info_get_name(
        info: *mut snd_seq_client_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_seq_client_info_get_card(info: *const snd_seq_client_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_client_info_set_client(
        info: *mut snd_seq_client_info_t,
        client: ::core::ffi::c_int,
    );
pub fn snd_seq_get_any_client_info(
        handle: *mut snd_seq_t,
        client: ::core::ffi::c_int,
        info: *mut snd_seq_client_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_next_client(
        handle: *mut snd_seq_t,
        info: *mut snd_seq_client_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_sizeof() -> usize;
pub fn snd_seq_port_info_malloc(ptr: *mut *mut snd_seq_port_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_free(ptr: *mut snd_seq_port_info_t);
pub fn snd_seq_port_info_get_client(info: *const snd_seq_port_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_port(info: *const snd_seq_port_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_name(
        info: *const snd_seq_port_info_t,
    ) -> *const ::core::ffi::c_char;
pub fn snd_seq_port_info_get_capability(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_uint;
pub fn snd_seq_port_info_get_type(info: *const snd_seq_port_info_t) -> ::core::ffi::c_uint;
pub fn snd_seq_port_info_get_midi_channels(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_midi_voices(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_synth_voices(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_read_use(info: *const snd_seq_port_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_write_use(info: *const snd_seq_port_info_t) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_port_specified(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_timestamping(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_timestamp_real(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_get_timestamp_queue(
        info: *const snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_info_set_client(info: *mut snd_seq_port_info_t, client: ::core::ffi::c_int);
pub fn snd_seq_port_info_set_port(info: *mut snd_seq_port_info_t, port: ::core::ffi::c_int);
pub fn snd_seq_port_info_set_name(
        info: *mut snd_seq_port_info_t,
        name: *const ::core::ffi::c_char,
    );
pub fn snd_seq_port_info_set_capability(
        info: *mut snd_seq_port_info_t,
        capability: ::core::ffi::c_uint,
    );
pub fn snd_seq_port_info_set_type(info: *mut snd_seq_port_info_t, type_: ::core::ffi::c_uint);
pub fn snd_seq_port_info_set_midi_channels(
        info: *mut snd_seq_port_info_t,
        channels: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_midi_voices(
        info: *mut snd_seq_port_info_t,
        voices: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_synth_voices(
        info: *mut snd_seq_port_info_t,
        voices: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_port_specified(
        info: *mut snd_seq_port_info_t,
        val: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_timestamping(
        info: *mut snd_seq_port_info_t,
        enable: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_timestamp_real(
        info: *mut snd_seq_port_info_t,
        realtime: ::core::ffi::c_int,
    );
pub fn snd_seq_port_info_set_timestamp_queue(
        info: *mut snd_seq_port_info_t,
        queue: ::core::ffi::c_int,
    );
pub fn snd_seq_create_port(
        handle: *mut snd_seq_t,
        info: *mut snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_delete_port(
        handle: *mut snd_seq_t,
        port: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_get_any_port_info(
        handle: *mut snd_seq_t,
        client: ::core::ffi::c_int,
        port: ::core::ffi::c_int,
        info: *mut snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_port_info(
        handle: *mut snd_seq_t,
        port: ::core::ffi::c_int,
        info: *mut snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_next_port(
        handle: *mut snd_seq_t,
        info: *mut snd_seq_port_info_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_sizeof() -> usize;
pub fn snd_seq_port_subscribe_malloc(
        ptr: *mut *mut snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_free(ptr: *mut snd_seq_port_subscribe_t);
pub fn snd_seq_port_subscribe_get_sender(
        info: *const snd_seq_port_subscribe_t,
    ) -> *const snd_seq_addr_t;
pub fn snd_seq_port_subscribe_get_dest(
        info: *const snd_seq_port_subscribe_t,
    ) -> *const snd_seq_addr_t;
pub fn snd_seq_port_subscribe_get_queue(
        info: *const snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_get_exclusive(
        info: *const snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_get_time_update(
        info: *const snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_get_time_real(
        info: *const snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_port_subscribe_set_sender(
        info: *mut snd_seq_port_subscribe_t,
        addr: *const snd_seq_addr_t,
    );
pub fn snd_seq_port_subscribe_set_dest(
        info: *mut snd_seq_port_subscribe_t,
        addr: *const snd_seq_addr_t,
    );
pub fn snd_seq_port_subscribe_set_queue(
        info: *mut snd_seq_port_subscribe_t,
        q: ::core::ffi::c_int,
    );
pub fn snd_seq_port_subscribe_set_exclusive(
        info: *mut snd_seq_port_subscribe_t,
        val: ::core::ffi::c_int,
    );
pub fn snd_seq_port_subscribe_set_time_update(
        info: *mut snd_seq_port_subscribe_t,
        val: ::core::ffi::c_int,
    );
pub fn snd_seq_port_subscribe_set_time_real(
        info: *mut snd_seq_port_subscribe_t,
        val: ::core::ffi::c_int,
    );
pub fn snd_seq_subscribe_port(
        handle: *mut snd_seq_t,
        sub: *mut snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_unsubscribe_port(
        handle: *mut snd_seq_t,
        sub: *mut snd_seq_port_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_malloc(
        ptr: *mut *mut snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_free(ptr: *mut snd_seq_query_subscribe_t);
pub fn snd_seq_query_subscribe_get_index(
        info: *const snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_get_addr(
        info: *const snd_seq_query_subscribe_t,
    ) -> *const snd_seq_addr_t;
pub fn snd_seq_query_subscribe_get_queue(
        info: *const snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_get_exclusive(
        info: *const snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_get_time_update(
        info: *const snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_get_time_real(
        info: *const snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_query_subscribe_set_root(
        info: *mut snd_seq_query_subscribe_t,
        addr: *const snd_seq_addr_t,
    );
pub fn snd_seq_query_subscribe_set_type(
        info: *mut snd_seq_query_subscribe_t,
        type_: snd_seq_query_subs_type_t,
    );
pub fn snd_seq_query_subscribe_set_index(
        info: *mut snd_seq_query_subscribe_t,
        _index: ::core::ffi::c_int,
    );
pub fn snd_seq_query_port_subscribers(
        seq: *mut snd_seq_t,
        subs: *mut snd_seq_query_subscribe_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_alloc_named_queue(
        seq: *mut snd_seq_t,
        name: *const ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_alloc_queue(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_free_queue(handle: *mut snd_seq_t, q: ::core::ffi::c_int) -> ::core::ffi::c_int;
pub fn snd_seq_queue_status_sizeof() -> usize;
pub fn snd_seq_queue_status_malloc(ptr: *mut *mut snd_seq_queue_status_t)
    -> ::core::ffi::c_int;
pub fn snd_seq_queue_status_free(ptr: *mut snd_seq_queue_status_t);
pub fn snd_seq_queue_status_get_queue(
        info: *const snd_seq_queue_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_queue_status_get_events(
        info: *const snd_seq_queue_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_queue_status_get_tick_time(
        info: *const snd_seq_queue_status_t,
    ) -> snd_seq_tick_time_t;
pub fn snd_seq_queue_status_get_real_time(
        info: *const snd_seq_queue_status_t,
    ) -> *const snd_seq_real_time_t;
pub fn snd_seq_queue_status_get_status(
        info: *const snd_seq_queue_status_t,
    ) -> ::core::ffi::c_uint;
pub fn snd_seq_get_queue_status(
        handle: *mut snd_seq_t,
        q: ::core::ffi::c_int,
        status: *mut snd_seq_queue_status_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_queue_tempo_sizeof() -> usize;
pub fn snd_seq_queue_tempo_malloc(ptr: *mut *mut snd_seq_queue_tempo_t) -> ::core::ffi::c_int;
pub fn snd_seq_queue_tempo_free(ptr: *mut snd_seq_queue_tempo_t);
pub fn snd_seq_queue_tempo_get_queue(info: *const snd_seq_queue_tempo_t) -> ::core::ffi::c_int;
pub fn snd_seq_queue_tempo_get_tempo(info: *const snd_seq_queue_tempo_t)
    -> ::core::ffi::c_uint;
pub fn snd_seq_queue_tempo_get_ppq(info: *const snd_seq_queue_tempo_t) -> ::core::ffi::c_int;
pub fn snd_seq_queue_tempo_get_skew(info: *const snd_seq_queue_tempo_t) -> ::core::ffi::c_uint;
pub fn snd_seq_queue_tempo_get_skew_base(
        info: *const snd_seq_queue_tempo_t,
    ) -> ::core::ffi::c_uint;
pub fn snd_seq_queue_tempo_set_tempo(
        info: *mut snd_seq_queue_tempo_t,
        tempo: ::core::ffi::c_uint,
    );
pub fn snd_seq_queue_tempo_set_ppq(info: *mut snd_seq_queue_tempo_t, ppq: ::core::ffi::c_int);
pub fn snd_seq_queue_tempo_set_skew(
        info: *mut snd_seq_queue_tempo_t,
        skew: ::core::ffi::c_uint,
    );
pub fn snd_seq_queue_tempo_set_skew_base(
        info: *mut snd_seq_queue_tempo_t,
        base: ::core::ffi::c_uint,
    );
pub fn snd_seq_get_queue_tempo(
        handle: *mut snd_seq_t,
        q: ::core::ffi::c_int,
        tempo: *mut snd_seq_queue_tempo_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_queue_tempo(
        handle: *mut snd_seq_t,
        q: ::core::ffi::c_int,
        tempo: *mut snd_seq_queue_tempo_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_event_output(
        handle: *mut snd_seq_t,
        ev: *mut snd_seq_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_event_output_buffer(
        handle: *mut snd_seq_t,
        ev: *mut snd_seq_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_event_output_direct(
        handle: *mut snd_seq_t,
        ev: *mut snd_seq_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_event_input(
        handle: *mut snd_seq_t,
        ev: *mut *mut snd_seq_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_event_input_pending(
        seq: *mut snd_seq_t,
        fetch_sequencer: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_drain_output(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_drop_output(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_drop_input(handle: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_malloc(
        ptr: *mut *mut snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_free(ptr: *mut snd_seq_remove_events_t);
pub fn snd_seq_remove_events_get_condition(
        info: *const snd_seq_remove_events_t,
    ) -> ::core::ffi::c_uint;
pub fn snd_seq_remove_events_get_queue(
        info: *const snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_get_time(
        info: *const snd_seq_remove_events_t,
    ) -> *const snd_seq_timestamp_t;
pub fn snd_seq_remove_events_get_dest(
        info: *const snd_seq_remove_events_t,
    ) -> *const snd_seq_addr_t;
pub fn snd_seq_remove_events_get_channel(
        info: *const snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_get_event_type(
        info: *const snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_get_tag(
        info: *const snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_remove_events_set_condition(
        info: *mut snd_seq_remove_events_t,
        flags: ::core::ffi::c_uint,
    );
pub fn snd_seq_remove_events_set_queue(
        info: *mut snd_seq_remove_events_t,
        queue: ::core::ffi::c_int,
    );
pub fn snd_seq_remove_events_set_time(
        info: *mut snd_seq_remove_events_t,
        time: *const snd_seq_timestamp_t,
    );
pub fn snd_seq_remove_events_set_dest(
        info: *mut snd_seq_remove_events_t,
        addr: *const snd_seq_addr_t,
    );
pub fn snd_seq_remove_events_set_channel(
        info: *mut snd_seq_remove_events_t,
        channel: ::core::ffi::c_int,
    );
pub fn snd_seq_remove_events_set_event_type(
        info: *mut snd_seq_remove_events_t,
        type_: ::core::ffi::c_int,
    );
pub fn snd_seq_remove_events_set_tag(
        info: *mut snd_seq_remove_events_t,
        tag: ::core::ffi::c_int,
    );
pub fn snd_seq_remove_events(
        handle: *mut snd_seq_t,
        info: *mut snd_seq_remove_events_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_control_queue(
        seq: *mut snd_seq_t,
        q: ::core::ffi::c_int,
        type_: ::core::ffi::c_int,
        value: ::core::ffi::c_int,
        ev: *mut snd_seq_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_create_simple_port(
        seq: *mut snd_seq_t,
        name: *const ::core::ffi::c_char,
        caps: ::core::ffi::c_uint,
        type_: ::core::ffi::c_uint,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_client_name(
        seq: *mut snd_seq_t,
        name: *const ::core::ffi::c_char,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_client_event_filter(
        seq: *mut snd_seq_t,
        event_type: ::core::ffi::c_int,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_client_pool_output(seq: *mut snd_seq_t, size: usize) -> ::core::ffi::c_int;
pub fn snd_seq_set_client_pool_output_room(
        seq: *mut snd_seq_t,
        size: usize,
    ) -> ::core::ffi::c_int;
pub fn snd_seq_set_client_pool_input(seq: *mut snd_seq_t, size: usize) -> ::core::ffi::c_int;
pub fn snd_seq_sync_output_queue(seq: *mut snd_seq_t) -> ::core::ffi::c_int;
pub fn snd_midi_event_new(
        bufsize: usize,
        rdev: *mut *mut snd_midi_event_t,
    ) -> ::core::ffi::c_int;
pub fn snd_midi_event_resize_buffer(
        dev: *mut snd_midi_event_t,
        bufsize: usize,
    ) -> ::core::ffi::c_int;
pub fn snd_midi_event_free(dev: *mut snd_midi_event_t);
pub fn snd_midi_event_init(dev: *mut snd_midi_event_t);
pub fn snd_midi_event_reset_encode(dev: *mut snd_midi_event_t);
pub fn snd_midi_event_reset_decode(dev: *mut snd_midi_event_t);
pub fn snd_midi_event_no_status(dev: *mut snd_midi_event_t, on: ::core::ffi::c_int);
pub fn snd_midi_event_encode(
        dev: *mut snd_midi_event_t,
        buf: *const ::core::ffi::c_uchar,
        count: ::core::ffi::c_long,
        ev: *mut snd_seq_event_t,
    ) -> ::core::ffi::c_long;
pub fn snd_midi_event_decode(
        dev: *mut snd_midi_event_t,
        buf: *mut ::core::ffi::c_uchar,
        count: ::core::ffi::c_long,
        ev: *const snd_seq_event_t,
    ) -> ::core::ffi::c_long;
}
