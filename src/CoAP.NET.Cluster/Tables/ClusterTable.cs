using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>A table of a cluster on this node. Thread-safe.</summary>
internal sealed class ClusterTable : CoapTable
{
    // There is no event when another node gets a link.
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);

    private readonly CoapCluster _cluster;
    private readonly CoapRecordKind _kind;
    private readonly byte[] _secret;
    private readonly CoapTableOptions _options;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly ClusterTableContents _contents;
    private readonly TableOwner _owner;
    private readonly TableLoader _loader;
    private readonly TableMap _map = new();
    private readonly TableWaits _waits;
    private readonly OccasionalLog _failed;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, TableFollower> _followers = [];
    private readonly List<Task> _ending = [];
    private Task? _end;

    public ClusterTable(CoapCluster cluster, CoapRecordKind kind, ICoapTableRules rules, CoapTableOptions options, byte[] secret,
        TimeProvider time, ILogger logger)
    {
        (_cluster, _kind, _secret, _options, _time, _logger) = (cluster, kind, secret, options, time, logger);
        _contents = new ClusterTableContents(cluster, kind, rules, time, logger);
        _waits = new TableWaits(options, cluster.Counts);
        _owner = new TableOwner(cluster, kind, _contents, options, _waits);
        _loader = new TableLoader(cluster, kind, _contents);
        _failed = new OccasionalLog(time);
        Feed = new TableFeed(_contents, secret);
    }

    /// <summary>Reports local changes to other nodes.</summary>
    public TableFeed Feed { get; }

    public override int Count => _contents.Count;

    public override long Bytes => _contents.Bytes;

    internal override string Node => _cluster.Self.Id.ToString();

    /// <summary>Whether this node has all reported changes of each slot's owner.</summary>
    /// <param name="owner">The table on the owner's node.</param>
    internal bool HasHeard(ClusterTable owner) => CoapSlot.All.All(slot =>
    {
        (CoapFence Fence, long Number, bool IsOwned) theirs = owner.PositionOf(slot);
        return !theirs.IsOwned || (PositionOf(slot) is var ours && ours.Fence == theirs.Fence && ours.Number == theirs.Number);
    });

    /// <summary>Whether this node decides about a slot.</summary>
    internal bool Owns(CoapSlot slot) => PositionOf(slot).IsOwned;

    public override CoapTableKey KeyOf(ReadOnlySpan<byte> name) => CoapTableKey.FromName(_secret, name);

    public override Task StartAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfEnded();
        Task started = _loader.StartAsync();
        OnMapChanged();
        foreach (CoapNodeId node in _cluster.Links.Up)
        {
            Follow(node);
        }

        return started.WaitAsync(cancellationToken);
    }

    public override ValueTask<ReadOnlyMemory<byte>> AskAsync(
        CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken = default)
    {
        Check(key, question);
        ThrowIfEnded();
        _contents[new CoapSlot(key.Slot)].ThrowIfHeld();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadOnlyMemory<byte>>(cancellationToken);
        }

        TableStep step;
        try
        {
            step = _owner.Ask(_cluster.Self.Id, key, question);
        }
        catch (CoapTableUnavailableException)
        {
            _cluster.Counts.Add(ClusterMetric.TableRefused);
            throw;
        }

        if (step.Kind == TableStepKind.Replied)
        {
            _cluster.Counts.Add(ClusterMetric.TableAnswered);
            return new ValueTask<ReadOnlyMemory<byte>>(step.Reply);
        }

        return new ValueTask<ReadOnlyMemory<byte>>(WaitAsync(
            new TableAsking(_cluster.Self.Id, key, question, _options.Timeout, _time), step, canForward: true, cancellationToken));
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
    /// <param name="node">The node.</param>
    /// <param name="key">The key.</param>
    /// <param name="question">The question.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapResult> ServeAsync(
        CoapNodeId node, CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        try
        {
            TableStep step = _owner.Ask(node, key, question);
            if (step.Kind == TableStepKind.Replied)
            {
                _cluster.Counts.Add(ClusterMetric.TableAnswered);
                return TableReply.Of(step.Reply);
            }

            return TableReply.Of(await WaitAsync(
                new TableAsking(node, key, question, _options.Timeout, _time), step, canForward: false, cancellationToken)
                .ConfigureAwait(false));
        }
        catch (Exception exception) when (exception is TableMovedException or ObjectDisposedException)
        {
            return TableReply.Moved();
        }
        catch (CoapTableUnavailableException exception)
        {
            return TableReply.Of(exception);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            if (_failed.IsDue())
            {
                ClusterTableLog.QuestionFailed(_logger, node, key, exception);
            }

            return TableReply.Failed($"The rules of the table failed at node {_cluster.Self.Id}; see its log.");
        }
    }

    /// <summary>Starts to receive changes of another node.</summary>
    public void Follow(CoapNodeId node)
    {
        lock (_gate)
        {
            if (_end is null && !_followers.ContainsKey(node))
            {
                _followers.Add(node, new TableFollower(_cluster, _kind, node, _contents, _secret, _map, _logger));
            }
        }
    }

    /// <summary>Ends the changes of a node without a link.</summary>
    public void Unfollow(CoapNodeId node)
    {
        lock (_gate)
        {
            if (_followers.Remove(node, out TableFollower? follower))
            {
                follower.Stop();
                _ending.RemoveAll(static one => one.IsCompleted);
                _ending.Add(follower.Running);
            }
        }
    }

    /// <summary>Handles a change of the map.</summary>
    public void OnMapChanged()
    {
        _loader.Update();
        _map.OnMoved();
    }

    /// <summary>Handles loaded slots.</summary>
    public void OnLoaded()
    {
        _map.OnMoved();
        Feed.OnChanged();
    }

    /// <summary>Gives up a slot, and completes when the decisions are stored.</summary>
    public Task ReleaseAsync(CoapSlot slot) => _owner.ReleaseAsync(slot);

    private (CoapFence Fence, long Number, bool IsOwned) PositionOf(CoapSlot number)
    {
        ClusterTableSlot slot = _contents[number];
        lock (slot.Gate)
        {
            return (slot.Fence, slot.Number, slot.IsOwned);
        }
    }

    private void ThrowIfEnded()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
        }
    }

    private async Task<ReadOnlyMemory<byte>> WaitAsync(
        TableAsking asking, TableStep step, bool canForward, CancellationToken cancellationToken)
    {
        try
        {
            EnterUnlessDecided(asking, step);
            using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
            return await WaitBoundedAsync(asking, step, canForward, ends.Token).ConfigureAwait(false);
        }
        catch (CoapTableUnavailableException exception)
        {
            _cluster.Counts.Add(exception.Fault is CoapTableFault.Busy or CoapTableFault.Full
                ? ClusterMetric.TableRefused
                : ClusterMetric.TableUnavailable);
            throw;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ObjectDisposedException(nameof(CoapTable));
        }
        finally
        {
            Leave(asking);
        }
    }

    // A decision has a separate place until the store has confirmed it.
    private void EnterUnlessDecided(TableAsking asking, TableStep step)
    {
        if (step.Kind is TableStepKind.Waiting or TableStepKind.Elsewhere)
        {
            _waits.Enter(asking.Node, asking.Question.Length);
            asking.HasPlace = true;
        }
    }

    private void Leave(TableAsking asking)
    {
        if (asking.HasPlace)
        {
            asking.HasPlace = false;
            _waits.Leave(asking.Node, asking.Question.Length);
        }
    }

    private TableStep AskAgain(TableAsking asking)
    {
        Leave(asking);
        TableStep step = _owner.Ask(asking.Node, asking.Key, asking.Question);
        EnterUnlessDecided(asking, step);
        return step;
    }

    private async Task<ReadOnlyMemory<byte>> WaitBoundedAsync(
        TableAsking asking, TableStep step, bool canForward, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task moved = _map.Next;
            if (step.Kind == TableStepKind.Elsewhere)
            {
                // The news may have arrived before this wait.
                step = AskAgain(asking);
            }

            switch (step.Kind)
            {
                case TableStepKind.Replied:
                    _cluster.Counts.Add(ClusterMetric.TableAnswered);
                    return step.Reply;
                case TableStepKind.Writing:
                    if (await IsWrittenAsync(asking, step.Wait!, isMine: true, cancellationToken).ConfigureAwait(false))
                    {
                        _cluster.Counts.Add(ClusterMetric.TableAnswered);
                        return step.Reply;
                    }

                    break;
                case TableStepKind.Waiting:
                    await IsWrittenAsync(asking, step.Wait!, isMine: false, cancellationToken).ConfigureAwait(false);
                    break;
                default:
                    if (await TryAskOwnerAsync(asking, canForward, moved, cancellationToken).ConfigureAwait(false) is { } reply)
                    {
                        return reply;
                    }

                    break;
            }

            cancellationToken.ThrowIfCancellationRequested();
            step = new TableStep(TableStepKind.Elsewhere);
        }
    }

    // False if another node owns the slot by now and must be asked.
    private async Task<bool> IsWrittenAsync(TableAsking asking, Task<bool> write, bool isMine, CancellationToken cancellationToken)
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
            throw asking.End(CoapTableFault.NotConfirmed);
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
            throw asking.End(CoapTableFault.NotConfirmed);
        }
    }

    // Returns null to request another attempt.
    private async Task<ReadOnlyMemory<byte>?> TryAskOwnerAsync(
        TableAsking asking, bool canForward, Task moved, CancellationToken cancellationToken)
    {
        if (asking.Left <= TimeSpan.Zero)
        {
            throw asking.End(CoapTableFault.NotReached);
        }

        CoapNodeId home = _cluster.Map[new CoapSlot(asking.Key.Slot)].Node;
        TimeSpan wait = asking.Left;
        if (home == _cluster.Self.Id)
        {
            asking.Why = "this node has taken the slot, and is reading it from the store.";
        }
        else if (!canForward)
        {
            throw new TableMovedException();
        }
        else if (home.IsSet && _cluster.Links.IsUp(home))
        {
            if (await TryForwardAsync(asking, home, cancellationToken).ConfigureAwait(false) is { } reply)
            {
                return reply;
            }

            wait = wait < s_lookAgain ? wait : s_lookAgain;
        }
        else
        {
            asking.Why = home.IsSet ? $"there is no link with node {home}, which owns the slot." : "the slot has no owner.";
            wait = wait < s_lookAgain ? wait : s_lookAgain;
        }

        wait = wait < asking.Left ? wait : asking.Left;
        if (wait > TimeSpan.Zero)
        {
            await moved.WaitAsync(wait, _time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        return null;
    }

    private async Task<ReadOnlyMemory<byte>?> TryForwardAsync(TableAsking asking, CoapNodeId home, CancellationToken cancellationToken)
    {
        CoapResponse response;
        try
        {
            CoapRequest request = TableReply.QuestionOf(_kind, asking.Key, asking.Question.Span);
            request.Timeout = asking.Left;
            response = await _cluster.Links.SendAsync(home, request, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            asking.Why = $"node {home} did not answer. {exception.Message}";
            asking.Cause = exception;
            asking.IsOutcomeUnknown = true;
            return null;
        }

        if (response.Code == CoapCode.Content)
        {
            _cluster.Counts.Add(ClusterMetric.TableForwarded);
            return response.Payload.ToArray();
        }

        if (response.Code != CoapCode.ServiceUnavailable)
        {
            throw new CoapException(
                $"Node {home}, which owns slot {asking.Key.Slot}, failed: {CoapForeignText.LineOf(response.GetText())}");
        }

        if (TableReply.TryRead(response, asking) is { } unavailable)
        {
            throw unavailable;
        }

        asking.Why = $"node {home} no longer owns the slot.";
        return null;
    }

    private async Task EndAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await _stop.CancelAsync().ConfigureAwait(false);
        _cluster.Tables.Remove(_kind, this);
        Feed.Dispose();
        Task[] following;
        lock (_gate)
        {
            foreach (TableFollower follower in _followers.Values)
            {
                follower.Stop();
            }

            following = [.. _ending, .. _followers.Values.Select(static follower => follower.Running)];
        }

        await Task.WhenAll(following).ConfigureAwait(false);
        await _loader.DisposeAsync().ConfigureAwait(false);
        _contents.Dispose();
    }
}
