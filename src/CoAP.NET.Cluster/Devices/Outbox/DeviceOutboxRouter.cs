using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// Finds the node that owns the outbox of a device, by the slot of its name, and sends it questions; it may be this node. It retries while
/// the slot moves. Thread-safe.
/// </summary>
internal sealed class DeviceOutboxRouter
{
    private const string Path = "/dev-outbox";
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_poll = TimeSpan.FromSeconds(20);

    private readonly CoapCluster _cluster;
    private readonly DeviceOutboxes _outboxes;
    private readonly TimeProvider _time;

    public DeviceOutboxRouter(CoapCluster cluster, DeviceOutboxes outboxes, TimeProvider time)
    {
        (_cluster, _outboxes, _time) = (cluster, outboxes, time);
        cluster.Peers.MapQuestion(Path, (_, question) => ServeAsync(question));
    }

    public async Task<CoapQueuedRequest> AddAsync(OutboxEntry entry, CancellationToken cancellationToken)
    {
        try
        {
            OutboxEntry answer = (await AskAsync(OutboxOwnerRequestKind.Add, entry, cancellationToken).ConfigureAwait(false))[0];
            return answer.State == OutboxRequestState.Failed
                ? throw CoapDeviceException.Queued(entry.Device, answer.Fault, answer.Why)
                : answer.ToPublic();
        }
        catch (OperationCanceledException)
        {
            Abandon(entry.Device, entry.Id);
            throw;
        }
    }

    /// <summary>Cancels a request whose caller has gone, without waiting: no other caller knows it.</summary>
    public void Abandon(string device, Guid id) => _ = ((Task)CancelAsync(device, id, CancellationToken.None)).ContinueWith(
        static done => _ = done.Exception, TaskScheduler.Default);

    public async Task<CoapResponse> WaitAsync(string device, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync(OutboxOwnerRequestKind.Wait, OutboxEntry.Unknown(device, id), cancellationToken)
            .ConfigureAwait(false))[0].GetResponse();

    public async Task<IReadOnlyList<CoapQueuedRequest>> ListAsync(string device, CancellationToken cancellationToken) =>
        [.. (await AskAsync(OutboxOwnerRequestKind.List, OutboxEntry.Unknown(device, default), cancellationToken).ConfigureAwait(false))
            .Select(static entry => entry.ToPublic())];

    public async Task<bool> CancelAsync(string device, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync(OutboxOwnerRequestKind.Cancel, OutboxEntry.Unknown(device, id), cancellationToken).ConfigureAwait(false)).Count > 0;

    private async Task<IReadOnlyList<OutboxEntry>> AskAsync(
        OutboxOwnerRequestKind act, OutboxEntry asked, CancellationToken cancellationToken)
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            Exception? failure = null;
            try
            {
                CoapNodeId owner = _cluster.Map[asked.Slot].Node;
                if (owner == _cluster.Self.Id)
                {
                    return await AnswerAsync(act, asked.Copy(), cancellationToken).ConfigureAwait(false);
                }

                if (owner.IsSet
                    && await _cluster.Peers.RequestAsync(owner, Path, [(byte)act, .. asked.ToBytes()], s_longest)
                        .WaitAsync(cancellationToken).ConfigureAwait(false) is { } answer
                    && OutboxEntry.TryReadAll(answer) is { } entries)
                {
                    return entries;
                }
            }
            catch (Exception exception) when (exception is OutboxMovedException or CoapClusterStoreException)
            {
                failure = exception;
            }

            if (act != OutboxOwnerRequestKind.Wait && _time.GetElapsedTime(started) >= s_longest)
            {
                throw CoapDeviceException.Unreachable(asked.Device,
                    $"the node that owns its outbox is not reachable, or the store is unavailable. {failure?.Message}", false, failure);
            }

            await Task.Delay(s_retry, _time, cancellationToken).ConfigureAwait(false);
        }
    }

    // Null: the asking node retries.
    private async Task<byte[]?> ServeAsync(ReadOnlyMemory<byte> question)
    {
        if (question.IsEmpty || OutboxEntry.TryRead(question.Span[1..]) is not { } asked)
        {
            return null;
        }

        IReadOnlyList<OutboxEntry> answer;
        using CancellationTokenSource poll = new(s_poll, _time);
        try
        {
            answer = await AnswerAsync((OutboxOwnerRequestKind)question.Span[0], asked, poll.Token).ConfigureAwait(false);
        }
        catch (CoapDeviceException exception) when (exception.Fault is CoapDeviceFault.Full or CoapDeviceFault.Forgotten)
        {
            asked.Fail(exception.Fault);
            answer = [asked];
        }
        catch (Exception exception) when (exception is OutboxMovedException or OperationCanceledException or ArgumentException
            or CoapException)
        {
            return null;
        }

        return [.. answer.SelectMany(static entry => entry.ToBytes(withRequest: false))];
    }

    private async Task<IReadOnlyList<OutboxEntry>> AnswerAsync(
        OutboxOwnerRequestKind act, OutboxEntry asked, CancellationToken cancellationToken) =>
        act switch
        {
            OutboxOwnerRequestKind.Add => [await _outboxes.AddAsync(asked, cancellationToken).ConfigureAwait(false)],
            OutboxOwnerRequestKind.Wait => [await _outboxes.WaitAsync(asked.Device, asked.Id, cancellationToken).ConfigureAwait(false)],
            OutboxOwnerRequestKind.List => _outboxes.List(asked.Device),
            OutboxOwnerRequestKind.Cancel => await _outboxes.CancelAsync(asked.Device, asked.Id, cancellationToken)
                .ConfigureAwait(false) is { } entry
                ? [entry]
                : [],
            _ => throw new ArgumentException("Not a question about an outbox.", nameof(act)),
        };
}

/// <summary>What a node asks the node that owns an outbox: the first byte of the question.</summary>
internal enum OutboxOwnerRequestKind : byte
{
    Add = 0,

    /// <summary>Wait for the outcome of a request.</summary>
    Wait = 1,

    List = 2,

    /// <summary>Cancel a request. The answer has it if it will not be sent.</summary>
    Cancel = 3,
}
