namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Finds the programs of others that tests talk to, and decides what their absence means.</summary>
internal static class PeerProgram
{
    /// <summary>When it is <c>required</c>, a test whose peer is absent fails in place of being skipped.</summary>
    public const string Variable = "COAP_INTEROP";

    private const string Required = "required";

    /// <summary>Where programs are that are installed for this repository alone.</summary>
    public static string LocalDirectory { get; } = Path.Combine(Repository.Root, "artifacts", "peers");

    /// <summary>Where a program is, by the PATH or in <see cref="LocalDirectory"/>; null when it is absent.</summary>
    public static string? Find(string name) => (Environment.GetEnvironmentVariable("PATH") ?? string.Empty)
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Append(LocalDirectory)
        .Select(directory => Path.Combine(directory, name))
        .FirstOrDefault(File.Exists);

    /// <summary>Why a test that needs programs is skipped; null when it runs, be it to fail.</summary>
    public static string? SkipReason(IEnumerable<string> names) => SkipReason(names, Environment.GetEnvironmentVariable(Variable), Find);

    public static string? SkipReason(IEnumerable<string> names, string? mode, Func<string, string?> find)
    {
        string[] absent = [.. names.Where(name => find(name) is null)];
        return absent.Length == 0 || mode == Required ? null : Absent(absent);
    }

    public static string Absent(params string[] names) =>
        $"{string.Join(" and ", names)} cannot be found. Install the peer (libcoap: apt-get install libcoap3-bin; node-coap: as .ci/run "
            + $"does); with {Variable}={Required} its absence is a failure.";
}
