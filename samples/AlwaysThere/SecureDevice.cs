using System.Diagnostics;
using CoAP.NET;
using CoAP.NET.Dtls;

namespace AlwaysThere;

/// <summary>
/// A device with coaps and a pre-shared key in a process of its own, so that it can crash: then all sessions and observers are gone, and
/// nobody is told.
/// </summary>
internal sealed class SecureDevice : IDisposable
{
    private const string Listening = "listening on ";

    private static readonly CoapPskCredential s_key = CoapPskCredential.Parse("hub:0x8d3f51b2c07a46e99b1e20f4d5a6c733");

    private readonly Process _process;

    private SecureDevice(Process process, string address)
    {
        _process = process;
        Address = address;
    }

    /// <summary>Where it listens: scheme, address and port.</summary>
    public string Address { get; }

    /// <summary>Starts the process of a device.</summary>
    /// <param name="address">Where it is to listen; port 0 for any.</param>
    /// <param name="state">What its resource says.</param>
    public static async Task<SecureDevice> StartAsync(string address, string state)
    {
        string program = Environment.ProcessPath!;
        bool isHost = Path.GetFileNameWithoutExtension(program) == "dotnet";
        ProcessStartInfo start = new(program,
            [.. isHost ? [typeof(SecureDevice).Assembly.Location] : Array.Empty<string>(), "--device", address, state])
        {
            RedirectStandardOutput = true,
            RedirectStandardInput = true,
        };
        Process process = Process.Start(start)!;
        string? line = await process.StandardOutput.ReadLineAsync();
        return line?.StartsWith(Listening, StringComparison.Ordinal) == true
            ? new SecureDevice(process, line[Listening.Length..])
            : throw new InvalidOperationException($"The device did not start: {line}");
    }

    /// <summary>What the process of a device does: it serves until its input ends, which it does when its parent is gone.</summary>
    public static async Task RunAsync(string address, string state)
    {
        await using CoapServer server = new();
        server.MapGet("/status", () => CoapResults.Text(state)).Observable(observe => observe.MaxAge = TimeSpan.FromSeconds(2));
        await server.ListenSecure(address, keys => keys.UsePsk(s_key)).StartAsync();
        Console.WriteLine(Listening + server.LocalEndpoints[0]);
        await Console.In.ReadToEndAsync();
    }

    /// <summary>A client that knows the key.</summary>
    public static CoapClient NewClient() => new(options => options.UsePsk(s_key));

    /// <summary>Ends it at once, as a power cut does.</summary>
    public void Crash()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    public void Dispose()
    {
        Crash();
        _process.Dispose();
    }
}
