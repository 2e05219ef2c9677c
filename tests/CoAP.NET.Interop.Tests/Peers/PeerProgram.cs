namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Finds the programs of others that tests talk to.</summary>
internal static class PeerProgram
{
    /// <summary>Where programs are that are installed for this repository alone.</summary>
    public static string LocalDirectory { get; } = Path.Combine(Repository.Root, "artifacts", "peers");

    /// <summary>Where a program is, by the PATH or in <see cref="LocalDirectory"/>; null when it is absent.</summary>
    public static string? Find(string name) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Append(LocalDirectory)
        .Select(directory => Path.Combine(directory, name))
        .FirstOrDefault(File.Exists);

    public static string Absent(params string[] names) =>
        $"{string.Join(" and ", names)} cannot be found. Install the peer (libcoap: apt-get install libcoap3-bin; OpenSSL and GnuTLS: "
            + "apt-get install openssl gnutls-bin; node-coap: as .ci/run does).";
}
