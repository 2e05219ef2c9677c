using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>
/// Finds the node that owns the outbox of a device, by the slot of its name, and sends it questions; it may be this node. It retries while
/// the slot moves. Thread-safe.
/// </summary>
internal sealed class OutboxRouting
{
    private const string Path = "/dev-outbox";
    private const int IdLength = 16;
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_poll = TimeSpan.FromSeconds(20);

    private readonly CoapCluster _cluster;
    private readonly ClusterDevices _devices;
    private readonly DeviceOutboxes _outboxes;
    private readonly TimeProvider _time;

    public OutboxRouting(CoapCluster cluster, ClusterDevices devices, DeviceOutboxes outboxes, TimeProvider time)
    {
        _cluster = cluster;
        _devices = devices;
        _outboxes = outboxes;
        _time = time;
        if (cluster.Links.IsOn)
        {
            cluster.Links.Routes.MapPost(Path, ServeAsync);
        }
    }

    public async Task<CoapQueuedRequest> AddAsync(OutboxEntry entry, CancellationToken cancellationToken) =>
        await AskAsync(entry.Device, entry.Key, isPatient: false, () => _outboxes.AddAsync(entry.Copy(), cancellationToken),
            [(byte)OutboxQuestion.Add, .. entry.ToBytes()],
            static answer => OutboxEntry.TryRead(answer)?.ToPublic(), cancellationToken).ConfigureAwait(false);

    public async Task<CoapResponse> WaitAsync(string device, byte[] key, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync(device, key, isPatient: true, () => _outboxes.WaitAsync(key, device, id, cancellationToken),
            Question(OutboxQuestion.Wait, key, id), static answer => OutboxEntry.TryRead(answer), cancellationToken)
            .ConfigureAwait(false)).GetResponse();

    public async Task<IReadOnlyList<CoapQueuedRequest>> ListAsync(string device, byte[] key, CancellationToken cancellationToken) =>
        await AskAsync(device, key, isPatient: false,
            () => Task.FromResult(_outboxes.List(key, device).Select(static entry => entry.ToPublic()).ToArray()),
            Question(OutboxQuestion.List, key, default), static answer => ReadList(answer), cancellationToken).ConfigureAwait(false);

    public async Task<bool> CancelAsync(string device, byte[] key, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync(device, key, isPatient: false,
            async () => new byte[] { await _outboxes.CancelAsync(key, id, cancellationToken).ConfigureAwait(false) ? (byte)1 : (byte)0 },
            Question(OutboxQuestion.Cancel, key, id), static answer => answer, cancellationToken).ConfigureAwait(false)) is [1];

    private async Task<T> AskAsync<T>(string device, byte[] key, bool isPatient, Func<Task<T>> here, byte[] question,
        Func<byte[], T?> read, CancellationToken cancellationToken)
        where T : class
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            Exception? failure = null;
            try
            {
                CoapNodeId home = _cluster.Map[CoapSlot.OfName(key)].Node;
                if (home == _cluster.Self.Id)
                {
                    return await here().ConfigureAwait(false);
                }

                if (home.IsSet && (_devices.Router is not null || _cluster.Links.IsUp(home))
                    && await TryAskAsync(home, device, question, read, cancellationToken).ConfigureAwait(false) is { } answer)
                {
                    return answer;
                }
            }
            catch (Exception exception) when (exception is OutboxMovedException or CoapConnectionException or CoapTimeoutException
                or CoapClusterStoreException)
            {
                failure = exception;
            }

            if (!isPatient && _time.GetElapsedTime(started) >= s_longest)
            {
                throw new CoapDeviceUnreachableException(device,
                    $"the node that owns its outbox is not reachable, or the store is unavailable. {failure?.Message}", false, failure);
            }

            await Task.Delay(s_retry, _time, cancellationToken).ConfigureAwait(false);
        }
    }

    // Returns null to request a retry.
    private async Task<T?> TryAskAsync<T>(
        CoapNodeId home, string device, byte[] question, Func<byte[], T?> read, CancellationToken cancellationToken)
        where T : class
    {
        CoapRequest request = new(CoapMethod.Post, Path)
        {
            Content = CoapContent.Binary(question),
            Timeout = s_longest + s_poll,
        };
        CoapResponse? response = _devices.Router is { } router
            ? await router.AskOutboxAsync(home, request, cancellationToken).ConfigureAwait(false)
            : await _cluster.Links.SendAsync(home, request, cancellationToken).ConfigureAwait(false);
        return response is null ? null
            : response.Code == CoapCode.Content ? read(response.Payload.ToArray())
            : response.Code == CoapCode.Conflict && response.Payload.Length > 0
                ? throw new CoapDeviceQueueException(device, (CoapDeviceQueueFault)response.Payload.Span[0])
            : null;
    }

    /// <summary>Answers a question of another node.</summary>
    /// <param name="request">The question.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> payload = request.Payload;
        try
        {
            return payload.IsEmpty ? CoapResults.BadRequest()
                : (OutboxQuestion)payload.Span[0] == OutboxQuestion.Add
                    ? await ServeAddAsync(payload[1..], cancellationToken).ConfigureAwait(false)
                    : await ServeAsync((OutboxQuestion)payload.Span[0], payload[1..], cancellationToken).ConfigureAwait(false);
        }
        catch (CoapDeviceQueueException exception)
        {
            return new CoapResult(CoapCode.Conflict, new[] { (byte)exception.Fault });
        }
        catch (Exception exception) when (exception is OutboxMovedException or CoapClusterStoreException or CoapDeviceException)
        {
            return CoapResults.Status(CoapCode.ServiceUnavailable);
        }
    }

    private async Task<CoapResult> ServeAddAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (OutboxEntry.TryRead(bytes.Span) is not { State: OutboxState.Waiting } entry)
        {
            return CoapResults.BadRequest();
        }

        await _outboxes.AddAsync(entry, cancellationToken).ConfigureAwait(false);
        return Answer(entry.ToBytes(withRequest: false));
    }

    private async Task<CoapResult> ServeAsync(OutboxQuestion question, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (bytes.Length <= IdLength || DeviceName.TryDecode(bytes.Span[IdLength..]) is not { } device)
        {
            return CoapResults.BadRequest();
        }

        Guid id = new(bytes.Span[..IdLength], bigEndian: true);
        byte[] key = bytes[IdLength..].ToArray();
        switch (question)
        {
            case OutboxQuestion.Wait:
                using (CancellationTokenSource poll = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken))
                {
                    using ITimer timer = _time.CreateTimer(static poll => ((CancellationTokenSource)poll!).Cancel(), poll, s_poll,
                        Timeout.InfiniteTimeSpan);
                    try
                    {
                        return Answer((await _outboxes.WaitAsync(key, device, id, poll.Token).ConfigureAwait(false))
                            .ToBytes(withRequest: false));
                    }
                    catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
                    {
                        // The asking node retries.
                        return CoapResults.Status(CoapCode.ServiceUnavailable);
                    }
                }

            case OutboxQuestion.List:
                return Answer(WriteList(_outboxes.List(key, device)));
            case OutboxQuestion.Cancel:
                return Answer([await _outboxes.CancelAsync(key, id, cancellationToken).ConfigureAwait(false) ? (byte)1 : (byte)0]);
            default:
                return CoapResults.BadRequest();
        }
    }

    private static CoapResult Answer(byte[] bytes) => new(CoapCode.Content, bytes, CoapContentFormat.OctetStream);

    private static byte[] Question(OutboxQuestion question, byte[] key, Guid id) =>
        [(byte)question, .. id.ToByteArray(bigEndian: true), .. key];

    private static byte[] WriteList(IReadOnlyList<OutboxEntry> entries)
    {
        using MemoryStream stream = new();
        Span<byte> length = stackalloc byte[sizeof(int)];
        foreach (OutboxEntry entry in entries)
        {
            byte[] bytes = entry.ToBytes(withRequest: false);
            BinaryPrimitives.WriteInt32BigEndian(length, bytes.Length);
            stream.Write(length);
            stream.Write(bytes);
        }

        return stream.ToArray();
    }

    private static CoapQueuedRequest[] ReadList(ReadOnlySpan<byte> bytes)
    {
        List<CoapQueuedRequest> list = [];
        while (bytes.Length >= sizeof(int) && BinaryPrimitives.ReadInt32BigEndian(bytes) is >= 0 and var length
            && length <= bytes.Length - sizeof(int))
        {
            if (OutboxEntry.TryRead(bytes.Slice(sizeof(int), length)) is { } entry)
            {
                list.Add(entry.ToPublic());
            }

            bytes = bytes[(sizeof(int) + length)..];
        }

        return [.. list];
    }
}
