// Faust's offline architecture: renders banks of bank.dsp, 64 frames at a time.
// Arguments: number of banks, seconds of audio, and optionally a WAV file to write.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <faust/dsp/dsp.h>
#include <faust/gui/MapUI.h>
#include <faust/gui/meta.h>

<<includeIntrinsic>>
<<includeclass>>

namespace {

constexpr int kSampleRate = 48000;
constexpr int kBlockFrames = 64;
constexpr int kBankPartials = 32;
constexpr double kPi = 3.14159265358979323846;

struct Bank {
  mydsp dsp;
  MapUI controls;
  float* pitch;
  float* level;
  double transpose;
};

// Mono 32-bit float WAV.
void write_wav(const char* path, const std::vector<float>& samples) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) {
    std::perror(path);
    std::exit(1);
  }
  const auto u32 = [file](uint32_t value) { std::fwrite(&value, 4, 1, file); };
  const auto u16 = [file](uint16_t value) { std::fwrite(&value, 2, 1, file); };
  const uint32_t bytes = static_cast<uint32_t>(samples.size() * sizeof(float));
  std::fwrite("RIFF", 1, 4, file);
  u32(36 + bytes);
  std::fwrite("WAVEfmt ", 1, 8, file);
  u32(16);
  u16(3);  // IEEE float
  u16(1);
  u32(kSampleRate);
  u32(kSampleRate * sizeof(float));
  u16(sizeof(float));
  u16(32);
  std::fwrite("data", 1, 4, file);
  u32(bytes);
  std::fwrite(samples.data(), sizeof(float), samples.size(), file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s BANKS SECONDS [WAV]\n", argv[0]);
    return 2;
  }
  const int bank_count = std::atoi(argv[1]);
  const int blocks = static_cast<int>(std::atof(argv[2]) * kSampleRate) / kBlockFrames;
  const double gain = 1.0 / (kBankPartials * bank_count);

  mydsp::classInit(kSampleRate);  // fills the sine table, which all banks share
  std::vector<std::unique_ptr<Bank>> banks;
  for (int k = 0; k < bank_count; ++k) {
    auto bank = std::make_unique<Bank>();
    bank->dsp.instanceInit(kSampleRate);
    bank->dsp.buildUserInterface(&bank->controls);
    bank->pitch = bank->controls.getParamZone("pitch");
    bank->level = bank->controls.getParamZone("level");
    if (!bank->pitch || !bank->level) {
      std::fprintf(stderr, "bank.dsp has no use for its pitch or level slider\n");
      return 1;
    }
    bank->transpose = std::exp2(static_cast<double>(k) / bank_count);
    banks.push_back(std::move(bank));
  }

  std::vector<float> wav;
  float rendered[kBlockFrames];
  float* outputs[] = {rendered};
  volatile float heard = 0;  // keeps the compiler from dropping the rendering
  for (int block = 0; block < blocks; ++block) {
    const double move = std::sin(kPi * block * kBlockFrames / kSampleRate);
    float mix[kBlockFrames] = {};
    for (auto& bank : banks) {
      *bank->pitch = static_cast<float>((1 + 0.01 * move) * bank->transpose);
      *bank->level = static_cast<float>((0.75 + 0.25 * move) * gain);
      bank->dsp.compute(kBlockFrames, nullptr, outputs);
      for (int n = 0; n < kBlockFrames; ++n) mix[n] += rendered[n];
    }
    heard = mix[0];
    if (argc > 3) wav.insert(wav.end(), mix, mix + kBlockFrames);
  }
  (void)heard;
  if (argc > 3) write_wav(argv[3], wav);
  return 0;
}
