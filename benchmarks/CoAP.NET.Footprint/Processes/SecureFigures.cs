namespace CoAP.NET.Footprint.Processes;

/// <summary>What a <see cref="SecureHost"/> says of itself.</summary>
/// <param name="Sessions">How many it has.</param>
/// <param name="Live">Bytes of objects on its managed heap, after a collection of everything.</param>
/// <param name="Private">Bytes of its memory that are its own and in use (<c>RssAnon</c>): managed, native and stacks.</param>
/// <param name="Threads">How many threads it has.</param>
internal readonly record struct SecureFigures(int Sessions, long Live, long Private, int Threads)
{
    private const string PrivateLine = "RssAnon:";
    private const string ThreadsLine = "Threads:";

    public static SecureFigures Now(CoapServer server)
    {
        long live = Heap.LiveBytes();
        string[] status = File.ReadAllLines("/proc/self/status");
        return new(server.Endpoint.ConnectedPeers.Count, live, Number(status, PrivateLine) * 1024, (int)Number(status, ThreadsLine));
    }

    public static SecureFigures Parse(string line)
    {
        long[] numbers = [.. line.Split(' ').Select(text => long.Parse(text))];
        return new((int)numbers[0], numbers[1], numbers[2], (int)numbers[3]);
    }

    public override string ToString() => $"{Sessions} {Live} {Private} {Threads}";

    private static long Number(string[] lines, string name) =>
        long.Parse(lines.First(line => line.StartsWith(name, StringComparison.Ordinal))[name.Length..]
            .Replace("kB", ""), NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite);
}
