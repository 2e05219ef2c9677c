using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Load.CommandLine;

namespace CoAP.NET.Load.Workers;

/// <summary>Serves coordinators: does their runs, one at a time, until cancellation.</summary>
internal sealed class Worker
{
    // Conversations besides the run: coordinators that get "busy", and unknown connections.
    private const int MostConversations = 32;

    private static readonly TimeSpan AcceptPause = TimeSpan.FromSeconds(1);

    private readonly LoadRunDelegate _run;
    private readonly WorkerOptions _options;
    private string? _busyWith;

    private Worker(LoadRunDelegate run, WorkerOptions options) => (_run, _options) = (run, options);

    /// <summary>Listens until cancellation, which ends a pending run and notifies its coordinator.</summary>
    /// <param name="listen">The address; port 0 for any.</param>
    /// <param name="run">Runs a plan.</param>
    /// <param name="options">Other options.</param>
    /// <param name="cancellationToken">Stops the worker; then the task ends without an exception.</param>
    /// <exception cref="SocketException">It cannot listen on the address.</exception>
    public static async Task ServeAsync(IPEndPoint listen, LoadRunDelegate run, WorkerOptions options, CancellationToken cancellationToken)
    {
        using Socket listener = new(listen.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(listen);
        listener.Listen(MostConversations);
        IPEndPoint at = (IPEndPoint)listener.LocalEndPoint!;
        foreach (string line in Greeting(at, options.Key))
        {
            options.Say?.Invoke(line);
        }

        options.Listening?.Invoke(at);
        await new Worker(run, options).AcceptAsync(listener, cancellationToken);
    }

    public static IEnumerable<string> Greeting(IPEndPoint at, string? key)
    {
        yield return $"Listening on {at} (protocol version {WorkerConnection.Version}); Ctrl-C stops it.";
        if (!IPAddress.IsLoopback(at.Address))
        {
            yield return key is null
                ? $"WARNING: any host that reaches {at} can make this machine send load to any address. It requires no word "
                    + $"({WorkerCommand.KeyName}), and nothing is encrypted. Listen on a loopback address and use a tunnel, or only on a "
                    + "network that you trust."
                : $"WARNING: other machines reach {at}, and the word and everything else travels unencrypted. Anyone who reads it can "
                    + "make this machine send load to any address.";
        }
    }

    /// <summary>Reserves the worker for a run.</summary>
    /// <returns>Null, or the name of its current coordinator.</returns>
    internal string? Take(string who) => Interlocked.CompareExchange(ref _busyWith, who, null);

    internal void Release() => Volatile.Write(ref _busyWith, null);

    /// <summary>Whether a word is correct; takes the same time for any wrong one, however similar and long it is.</summary>
    internal bool Knows(string? word) =>
        _options.Key is null || CryptographicOperations.FixedTimeEquals(Hash(_options.Key), Hash(word ?? string.Empty));

    private static byte[] Hash(string word) => Sha256.HashData(Encoding.UTF8.GetBytes(word));

    private async Task AcceptAsync(Socket listener, CancellationToken cancellationToken)
    {
        List<Task> conversations = [];
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                Socket socket = await listener.AcceptAsync(cancellationToken);
                conversations.RemoveAll(static one => one.IsCompleted);
                if (conversations.Count >= MostConversations)
                {
                    _options.Say?.Invoke("Too many connections at once; closed one.");
                    socket.Dispose();
                    continue;
                }

                conversations.Add(ConverseAsync(socket, cancellationToken));
            }
            catch (OperationCanceledException)
            {
                break;
            }
            catch (SocketException exception)
            {
                // Out of files, or a peer that was gone before the accept: neither is a reason to stop.
                _options.Say?.Invoke($"Accepting a connection failed: {exception.Message}.");
                await Task.Delay(AcceptPause, _options.Time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        _options.Say?.Invoke("Stopping.");
        await Task.WhenAll(conversations);
    }

    private async Task ConverseAsync(Socket socket, CancellationToken cancellationToken)
    {
        try
        {
            string who = socket.RemoteEndPoint?.ToString() ?? "an unknown host";
            socket.NoDelay = true;
            TcpKeepAlive.Set(socket);
            await using WorkerConnection connection = new(new NetworkStream(socket, ownsSocket: true), _options.Time);
            await new CoordinatorConnectionHandler(this, who, connection, _run, _options).RunAsync(cancellationToken);
        }
#pragma warning disable CA1031 // One conversation never ends the others.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            // For example a connection that was closed before this side served it.
            socket.Dispose();
            _options.Say?.Invoke($"A connection ended early: {exception.Message}");
        }
    }
}
