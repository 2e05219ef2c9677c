using System.Net;
using System.Net.Sockets;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Workers;

/// <summary>One worker from the coordinator's view. Every <see cref="DistributedRunException"/> from it names the worker.</summary>
internal sealed class WorkerLink : IAsyncDisposable
{
    // The run's own timeout covers consecutive reads together; this one is only for a single line.
    private static readonly TimeSpan Unlimited = Timeout.InfiniteTimeSpan;

    private readonly WorkerConnection _connection;
    private readonly CoordinatorOptions _options;
    private readonly Lock _gate = new();
    private LoadProgress? _tick;
    private long _tickAt;
    private volatile bool _done;

    private WorkerLink(string name, WorkerConnection connection, CoordinatorOptions options) =>
        (Name, _connection, _options) = (name, connection, options);

    /// <summary>The worker's address as the user wrote it.</summary>
    public string Name { get; }

    public bool IsHere { get; private set; }

    /// <summary>The last tick, and its age; null if there was none or the worker is out of the run.</summary>
    public (LoadProgress Tick, TimeSpan Age)? Tick
    {
        get
        {
            lock (_gate)
            {
                return _tick is { } tick ? (tick, _options.Time.GetElapsedTime(_tickAt)) : null;
            }
        }
    }

    public bool IsDone => _done;

    /// <summary>Connects to a worker, which has to accept the coordinator.</summary>
    /// <exception cref="DistributedRunException">The worker is not reachable, or refuses.</exception>
    public static async Task<WorkerLink> ConnectAsync(DnsEndPoint address, CoordinatorOptions options, CancellationToken cancellationToken)
    {
        string name = WorkerAddress.Format(address);
        Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        WorkerLink? link = null;
        try
        {
            await ReachAsync(socket, name, address, options, cancellationToken);
            link = new WorkerLink(name, new WorkerConnection(new NetworkStream(socket, ownsSocket: true), options.Time), options);
            await link.GreetAsync(socket, cancellationToken);
            return link;
        }
        catch
        {
            if (link is not null)
            {
                await link.DisposeAsync();
            }

            socket.Dispose();
            throw;
        }
    }

    /// <summary>Sends its part of the plan, and waits until its peers are connected.</summary>
    public async Task PrepareAsync(LoadPlan share, CancellationToken cancellationToken)
    {
        await SendAsync(new PlanMessage(share), cancellationToken);
        await ExpectAsync<ReadyMessage>(WorkerConnection.LineLimit, _options.ReadyLimit + PlanTime.Of(share.RampSeconds),
            cancellationToken);
    }

    public Task StartAsync(CancellationToken cancellationToken) => SendAsync(new StartMessage(), cancellationToken);

    /// <summary>Waits for its result. Afterwards its ticks count only if it has delivered one.</summary>
    public async Task<LoadResult> ResultAsync(CancellationToken cancellationToken)
    {
        try
        {
            ResultMessage message = await ExpectAsync<ResultMessage>(WorkerConnection.ResultLimit, Unlimited, cancellationToken);
            LoadResult result = Named(() => WorkerFigureValidator.Clean(message.Result));
            _done = true;
            return result;
        }
        catch
        {
            lock (_gate)
            {
                _tick = null;
            }

            throw;
        }
    }

    /// <summary>Asks it to stop and to send its result so far; ignores a lost worker.</summary>
    public async Task CancelAsync()
    {
        try
        {
            await _connection.SendAsync(new CancelMessage(), CancellationToken.None);
        }
        catch (DistributedRunException)
        {
            // The wait for its result reports the loss.
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static async Task ReachAsync(Socket socket, string name, DnsEndPoint address, CoordinatorOptions options,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource expired = new(options.ConnectLimit, options.Time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(expired.Token, cancellationToken);
        try
        {
            await socket.ConnectAsync(address, either.Token);
            TcpKeepAlive.Set(socket);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Unreachable,
                $"Worker {name} is not reachable: no answer within {options.ConnectLimit.TotalSeconds:0.#} s.");
        }
        catch (SocketException exception)
        {
            throw new DistributedRunException(
                WorkerProtocolErrorCodes.Unreachable, $"Worker {name} is not reachable: {exception.Message}.", exception);
        }
    }

    private async Task GreetAsync(Socket socket, CancellationToken cancellationToken)
    {
        await SendAsync(new HelloMessage(WorkerConnection.Version, _options.Key), cancellationToken);
        WelcomeMessage welcome =
            await ExpectAsync<WelcomeMessage>(WorkerConnection.LineLimit, _options.ConnectLimit, cancellationToken);
        if (welcome.Version != WorkerConnection.Version)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Version,
                $"Worker {Name} has version {welcome.Version} of the protocol, this program version {WorkerConnection.Version}. Use the "
                    + "same program on all machines.");
        }

        // Checks both, because a tunnel makes a remote worker look local.
        IsHere = welcome.Machine == Environment.MachineName
            && socket.LocalEndPoint is IPEndPoint local && socket.RemoteEndPoint is IPEndPoint remote
            && (local.Address.Equals(remote.Address) || IPAddress.IsLoopback(remote.Address));
    }

    private async Task<T> ExpectAsync<T>(int limit, TimeSpan within, CancellationToken cancellationToken)
        where T : WorkerMessage
    {
        // One timeout for all lines until the expected one: ticks do not extend it.
        using CancellationTokenSource expired = within == Unlimited ? new() : new(within, _options.Time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(expired.Token, cancellationToken);
        try
        {
            while (true)
            {
                switch (await _connection.ReadAsync(limit, Unlimited, either.Token))
                {
                    case T wanted:
                        return wanted;
                    case ProgressMessage tick:
                        Keep(WorkerFigureValidator.Clean(tick.Tick));
                        break;
                    case ErrorMessage error:
                        throw new DistributedRunException(error.Kind, DistributedRunException.Clean(error.Text));
                    case null:
                        throw new DistributedRunException(WorkerProtocolErrorCodes.Lost, "the connection ended");
                    case { } other:
                        throw new DistributedRunException(
                            WorkerProtocolErrorCodes.Protocol, $"it sent a {WorkerConnection.NameOf(other)} out of turn");
                }
            }
        }
        catch (OperationCanceledException) when (expired.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw Named(new DistributedRunException(WorkerProtocolErrorCodes.TimeOut,
                $"no {typeof(T).Name.Replace("Message", string.Empty, StringComparison.Ordinal).ToLowerInvariant()} "
                    + $"within {within.TotalSeconds:0.#} s"));
        }
        catch (DistributedRunException exception)
        {
            throw Named(exception);
        }
    }

    private async Task SendAsync(WorkerMessage message, CancellationToken cancellationToken)
    {
        try
        {
            await _connection.SendAsync(message, cancellationToken);
        }
        catch (DistributedRunException exception)
        {
            throw Named(exception);
        }
    }

    private void Keep(LoadProgress tick)
    {
        lock (_gate)
        {
            (_tick, _tickAt) = (tick, _options.Time.GetTimestamp());
        }
    }

    private LoadResult Named(Func<LoadResult> clean)
    {
        try
        {
            return clean();
        }
        catch (DistributedRunException exception)
        {
            throw Named(exception);
        }
    }

    private DistributedRunException Named(DistributedRunException exception) =>
        new(exception.Kind, $"Worker {Name}: {exception.Message.TrimEnd('.')}.", exception);
}
