using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tables;

/// <summary>A table of a cluster on this node. Thread-safe.</summary>
internal sealed class ClusterReplicatedTable : CoapReplicatedTable
{
    // There is no event when another node gets a link.
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);

    private readonly CoapCluster _cluster;
    private readonly CoapRecordKind _kind;
    private readonly CoapReplicatedTableOptions _options;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly ClusterReplicatedTableContents _contents;
    private readonly OwnedSlotTableRequestHandler _owner;
    private readonly TableLoader _reader;
    private readonly TableUpdateSubscriber _hearing;
    private readonly TableRequestLimiter _waits;
    private readonly RateLimitedLog _failed;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();

    // Wakes callers that wait until another node owns a slot, or this one has loaded it.
    private readonly WakeSignal _moved = new();
    private Task? _running;
    private Task? _end;

    public ClusterReplicatedTable(CoapCluster cluster, CoapRecordKind kind, ICoapReplicatedTableRules rules,
        CoapReplicatedTableOptions options, TimeProvider time, ILogger logger)
    {
        (_cluster, _kind, _options, _time, _logger) = (cluster, kind, options, time, logger);
        News = new TableUpdatePublisher(cluster, kind, _stop.Token);
        _contents = new ClusterReplicatedTableContents(cluster, kind, rules, time, logger, News);
        _waits = new TableRequestLimiter(options, cluster.Counts);
        _owner = new OwnedSlotTableRequestHandler(cluster, _contents, options, _waits);
        _reader = new TableLoader(cluster, kind, _contents, News, _moved);
        _hearing = new TableUpdateSubscriber(cluster, kind, _contents);
        _failed = new RateLimitedLog(time);
    }

    /// <summary>Tells other nodes of local changes.</summary>
    public TableUpdatePublisher News { get; }

    public override int Count => _contents.Count;

    public override long Bytes => _contents.Bytes;

    internal override string Node => _cluster.Self.Id.ToString();

    /// <summary>Whether this node has all changes of each slot's owner.</summary>
    internal bool HasHeard(ClusterReplicatedTable owner) => CoapSlot.All.All(number =>
    {
        if (owner == this || !owner.Owns(number))
        {
            return true;
        }

        ClusterReplicatedTableSlot slot = _contents[number];
        lock (slot.Gate)
        {
            return owner.News.NumberOf(number, slot.Fence) == slot.Number && slot is { ReadsAll: false, IsReading: false, Wanted: null };
        }
    });

    /// <summary>Whether this node decides about a slot.</summary>
    internal bool Owns(CoapSlot number)
    {
        ClusterReplicatedTableSlot slot = _contents[number];
        lock (slot.Gate)
        {
            return slot.IsOwned;
        }
    }

    public override CoapTableKey KeyOf(ReadOnlySpan<byte> name) => _cluster.Store.CommonKey is { IsEmpty: false } secret
        ? CoapTableKey.FromName(secret.Span, name)
        : throw new CoapTableUnavailableException(CoapTableUnavailableReason.NotReached, _options.Timeout,
            "This node has not joined the cluster yet, and does not know how keys are made of names. Try again later.");

    public override Task StartAsync(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
            _running ??= RunAsync();
        }

        OnMapChanged();
        return _reader.Loaded.WaitAsync(cancellationToken);
    }

    public override ValueTask<ReadOnlyMemory<byte>> RequestAsync(
        CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken = default)
    {
        Check(key, question);
        ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, this);
        _contents[new CoapSlot(key.Slot)].ThrowIfHeld();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadOnlyMemory<byte>>(cancellationToken);
        }

        SlotOwnerAnswer step;
        try
        {
            step = _owner.Ask(_cluster.Self.Id, key, question);
        }
        catch (CoapTableUnavailableException)
        {
            _cluster.Counts.Add(ClusterMetric.TableRefused);
            throw;
        }

        if (step.Kind == TableRequestState.Replied)
        {
            _cluster.Counts.Add(ClusterMetric.TableAnswered);
            return new ValueTask<ReadOnlyMemory<byte>>(step.Reply);
        }

        return new ValueTask<ReadOnlyMemory<byte>>(WaitAsync(
            new PendingTableRequest(_cluster.Self.Id, key, question, _options.Timeout, _time), step, canForward: true, cancellationToken));
    }

    public override ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync();
        }

        return new ValueTask(_end);
    }

    /// <summary>Answers a question of another node.</summary>
    public async Task<TableAnswer> ServeAsync(CoapNodeId node, CoapTableKey key, ReadOnlyMemory<byte> question)
    {
        try
        {
            SlotOwnerAnswer step = _owner.Ask(node, key, question);
            if (step.Kind == TableRequestState.Replied)
            {
                _cluster.Counts.Add(ClusterMetric.TableAnswered);
                return TableAnswer.Of(step.Reply);
            }

            return TableAnswer.Of(await WaitAsync(
                new PendingTableRequest(node, key, question, _options.Timeout, _time), step, canForward: false, CancellationToken.None)
                .ConfigureAwait(false));
        }
        catch (Exception exception) when (exception is TableSlotMovedException or ObjectDisposedException)
        {
            return TableAnswer.Moved;
        }
        catch (CoapTableUnavailableException exception)
        {
            return TableAnswer.Of(exception);
        }
#pragma warning disable CA1031 // the asking node gets an error, and this log has the cause
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (_failed.IsDue())
            {
                ClusterTableLog.QuestionFailed(_logger, node, key, exception);
            }

            return TableAnswer.Failed($"The rules of the table failed at node {_cluster.Self.Id}; see its log.");
        }
    }

    /// <summary>Handles a notification of changes from another node.</summary>
    public void ReceiveChanges(IEnumerable<ReplicatedTableChangeMessage> changes) => _hearing.ReceiveChanges(changes);

    public void OnUp() => _hearing.OnUp();

    public void OnMapChanged()
    {
        _reader.OnMapChanged();
        _moved.Wake();
    }

    /// <summary>Gives up a slot, and completes when the decisions are stored.</summary>
    public Task ReleaseAsync(CoapSlot slot) => _owner.ReleaseAsync(slot);

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);

        // What the owners have told by now will be read with everything else.
        await _hearing.CheckAsync(_stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_hearing.RunAsync(_stop.Token), _reader.RunAsync(_stop.Token)).ConfigureAwait(false);
    }

    private async Task<ReadOnlyMemory<byte>> WaitAsync(
        PendingTableRequest asking, SlotOwnerAnswer step, bool canForward, CancellationToken cancellationToken)
    {
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
        try
        {
            while (true)
            {
                // The notification may have arrived before this wait.
                Task moved = _moved.Next;
                step = step.Kind == TableRequestState.Elsewhere ? _owner.Ask(asking.Node, asking.Key, asking.Question) : step;
                Enqueue(asking, step.Kind is TableRequestState.Waiting or TableRequestState.Elsewhere);
                bool isDecided = step.Kind == TableRequestState.Replied || (step.Wait is { } write
                    && await IsWrittenAsync(asking, write, step.Kind == TableRequestState.Writing, ends.Token).ConfigureAwait(false)
                    && step.Kind == TableRequestState.Writing);
                if (isDecided)
                {
                    _cluster.Counts.Add(ClusterMetric.TableAnswered);
                    return step.Reply;
                }

                if (step.Kind == TableRequestState.Elsewhere
                    && await TryAskOwnerAsync(asking, canForward, moved, ends.Token).ConfigureAwait(false) is { } reply)
                {
                    return reply;
                }

                ends.Token.ThrowIfCancellationRequested();
                step = new SlotOwnerAnswer(TableRequestState.Elsewhere);
            }
        }
        catch (CoapTableUnavailableException exception)
        {
            _cluster.Counts.Add(exception.Reason is CoapTableUnavailableReason.Busy or CoapTableUnavailableReason.Full
                ? ClusterMetric.TableRefused
                : ClusterMetric.TableUnavailable);
            throw;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ObjectDisposedException(nameof(CoapReplicatedTable));
        }
        finally
        {
            Enqueue(asking, isKept: false);
        }
    }

    // A question that waits has a place. A decision has a separate one until the store has confirmed it.
    private void Enqueue(PendingTableRequest asking, bool isKept)
    {
        if (isKept && !asking.IsCounted)
        {
            _waits.Enter(asking.Node, asking.Question.Length);
        }
        else if (!isKept && asking.IsCounted)
        {
            _waits.Leave(asking.Node, asking.Question.Length);
        }

        asking.IsCounted = isKept;
    }

    // False if another node owns the slot by now and must be asked.
    private async Task<bool> IsWrittenAsync(PendingTableRequest asking, Task<bool> write, bool isMine, CancellationToken cancellationToken)
    {
        try
        {
            return await write.WaitAsync(asking.Left, _time, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            asking.Why = isMine
                ? $"the store did not confirm the change. {_cluster.Health.Failure?.Message}"
                : $"an earlier change of the entry waits for the store. {_cluster.Health.Failure?.Message}";
            asking.IsOutcomeUnknown |= isMine;
            throw asking.End(CoapTableUnavailableReason.NotConfirmed);
        }
        catch (CoapClusterStoreException exception)
        {
            if (!isMine)
            {
                // That change was refused.
                return false;
            }

            asking.Why = exception.Message;
            asking.Cause = exception;
            asking.IsOutcomeUnknown |= exception.Fault != CoapClusterStoreFault.Busy;
            throw asking.End(CoapTableUnavailableReason.NotConfirmed);
        }
    }

    // Returns null to request another attempt.
    private async Task<ReadOnlyMemory<byte>?> TryAskOwnerAsync(
        PendingTableRequest asking, bool canForward, Task moved, CancellationToken cancellationToken)
    {
        if (asking.Left <= TimeSpan.Zero)
        {
            throw asking.End(CoapTableUnavailableReason.NotReached);
        }

        CoapNodeId ownerNode = _cluster.Map[new CoapSlot(asking.Key.Slot)].Node;
        TimeSpan wait = asking.Left;
        if (ownerNode == _cluster.Self.Id)
        {
            asking.Why = "this node has taken the slot, and is reading it from the store.";
        }
        else if (!canForward)
        {
            throw new TableSlotMovedException();
        }
        else
        {
            asking.Why = ownerNode.IsSet ? $"node {ownerNode}, which owns the slot, cannot be reached." : "the slot has no owner.";
            if (_cluster.Peers.IsUp(ownerNode)
                && await TryForwardAsync(asking, ownerNode, cancellationToken).ConfigureAwait(false) is { } reply)
            {
                return reply;
            }

            wait = TimeSpan.FromTicks(Math.Min(s_lookAgain.Ticks, asking.Left.Ticks));
        }

        await moved.WaitAsync(wait, _time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return null;
    }

    private async Task<ReadOnlyMemory<byte>?> TryForwardAsync(
        PendingTableRequest asking, CoapNodeId ownerNode, CancellationToken cancellationToken)
    {
        TableQuestion question = new(_cluster.Self.Id, _kind, asking.Key, asking.Question);
        TableAnswer? answer = await _cluster.Peers.AskAsync(ownerNode, service => service.AskTableAsync(question), asking.Left)
            .WaitAsync(cancellationToken).ConfigureAwait(false);
        if (answer?.GetReply(asking) is { } reply)
        {
            _cluster.Counts.Add(ClusterMetric.TableForwarded);
            return reply;
        }

        asking.Why = answer is null ? $"node {ownerNode} did not answer." : $"node {ownerNode} no longer owns the slot.";
        asking.IsOutcomeUnknown |= answer is null;
        return null;
    }

    private async Task EndAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        _cluster.Tables.Remove(_kind, this);
        await (_running ?? Task.CompletedTask).ConfigureAwait(false);
        _contents.Dispose();
    }
}

/// <summary>The slot is not at this node; the asking node must ask elsewhere.</summary>
internal sealed class TableSlotMovedException : Exception
{
    public TableSlotMovedException()
        : base("The slot is at another node.")
    {
    }
}
