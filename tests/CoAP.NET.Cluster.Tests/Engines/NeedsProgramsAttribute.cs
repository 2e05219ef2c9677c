namespace CoAP.NET.Cluster.Tests.Engines;

/// <summary>
/// The tests of a class need programs of others. They are skipped where one is absent; with <c>COAP_INTEROP=required</c> they fail there,
/// when they start it.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class NeedsProgramsAttribute(string advice, params string[] programs) : Attribute
{
    private const string Variable = "COAP_INTEROP";
    private const string Required = "required";

    public string Advice { get; } = advice;

    public string[] Programs { get; } = programs;

    /// <summary>Why the tests are skipped; null when they run, be it to fail.</summary>
    public string? SkipReason() => SkipReason(Environment.GetEnvironmentVariable(Variable), InstalledProgram.Find);

    public string? SkipReason(string? mode, Func<string, string?> find)
    {
        string[] absent = [.. Programs.Where(name => find(name) is null)];
        return absent.Length == 0 || mode == Required
            ? null
            : $"{string.Join(" and ", absent)} cannot be found. {Advice}; with {Variable}={Required} its absence is a failure.";
    }
}
