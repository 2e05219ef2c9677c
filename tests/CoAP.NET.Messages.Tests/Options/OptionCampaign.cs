using System.Globalization;
using FsCheck;
using Microsoft.FSharp.Core;

namespace CoAP.NET.Tests.Options;

/// <summary>How many random cases a property is tried on: COAP_TEST_CASES (default 300), from COAP_TEST_SEED (default 1).</summary>
internal static class OptionCampaign
{
    internal static Config Config => Config.QuickThrowOnFailure
        .WithMaxTest((int)Read("COAP_TEST_CASES", 300))
        .WithReplay(FSharpOption<Replay>.Some(
            new Replay(new Rnd(Read("COAP_TEST_SEED", 1), 0x9e37_79b9_7f4a_7c15), FSharpOption<int>.None)));

    private static ulong Read(string name, ulong otherwise) =>
        ulong.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out ulong value)
            ? value
            : otherwise;
}
