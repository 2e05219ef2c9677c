using System.Globalization;

namespace CoAP.NET.Content.Tests;

/// <summary>
/// How long campaigns run: CONTENT_ROUNDS payloads (default: what the test says), and CONTENT_SEED for what is left to chance.
/// </summary>
internal static class Campaign
{
    public static int Rounds(int otherwise) => Setting("CONTENT_ROUNDS", otherwise);

    public static int Seed(int otherwise) => Setting("CONTENT_SEED", otherwise);

    private static int Setting(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : otherwise;
}
