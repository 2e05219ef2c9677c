namespace CoAP.NET.Tests;

/// <summary>Limits of waits in tests, so that a test that hangs fails.</summary>
internal static class HangGuard
{
    /// <summary>
    /// For tests in memory and in virtual time: what they wait for is complete at once, or never. The limit is for a busy machine, and
    /// short enough for a trial of mutations (CONTRIBUTING.md).
    /// </summary>
    public static readonly TimeSpan InMemory = FromSeconds(30);
}
