using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>One link of a block that keeps no message.</summary>
internal sealed class InlineLink<T> : IDisposable
{
    private readonly InlineBlockLinks<T> _links;
    private readonly ITargetBlock<T> _target;
    private readonly Predicate<T>? _predicate;
    private readonly bool _propagatesCompletion;
    private readonly int _maxMessages;
    private int _reserved;
    private int _accepted;

    public InlineLink(InlineBlockLinks<T> links, ITargetBlock<T> target, DataflowLinkOptions options, Predicate<T>? predicate)
    {
        _links = links;
        _target = target;
        _predicate = predicate;
        _propagatesCompletion = options.PropagateCompletion;
        _maxMessages = options.MaxMessages;
        Direct = _maxMessages == DataflowBlockOptions.Unbounded && predicate is null ? target as InlineTarget<T> : null;
    }

    /// <summary>The target, if it is an inline block and there is nothing to count or to filter; otherwise null.</summary>
    public InlineTarget<T>? Direct { get; }

    public InlineOfferOutcome Offer(T item)
    {
        if (Direct is null)
        {
            return OfferToAny(item);
        }

        if (Direct.Run(item))
        {
            return InlineOfferOutcome.Accepted;
        }

        Ended();
        return InlineOfferOutcome.Declined;
    }

    /// <summary>Lets the target take the item when it has room. Not for inline blocks, which accept at once or never.</summary>
    /// <returns>Completes with true if the target took it; null when the link does not support this.</returns>
    public Task<bool>? OfferLater(T item) =>
        _target is InlineTarget<T> || _predicate is not null || _maxMessages != DataflowBlockOptions.Unbounded
            ? null
            : _target.SendAsync(item);

    /// <summary>Passes the end of the source to the target, if the link propagates it.</summary>
    public void Finish(Exception? fault)
    {
        if (!_propagatesCompletion)
        {
            return;
        }

        try
        {
            if (fault is null)
            {
                _target.Complete();
            }
            else
            {
                _target.Fault(fault);
            }
        }
#pragma warning disable CA1031 // a linked block of the application must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(_links.Counters, _links.Logger, exception);
        }
    }

    public void Dispose() => _links.Remove(this);

    private InlineOfferOutcome OfferToAny(T item)
    {
        DataflowMessageStatus status = DataflowMessageStatus.Declined;
        bool counts = _maxMessages != DataflowBlockOptions.Unbounded;
        bool offering = false;
        try
        {
            if (_predicate is not null && !_predicate(item))
            {
                return InlineOfferOutcome.Declined;
            }

            // Reserves a place before the offer, so several threads together never exceed the maximum.
            if (counts && Interlocked.Increment(ref _reserved) > _maxMessages)
            {
                Interlocked.Decrement(ref _reserved);
                return InlineOfferOutcome.Declined;
            }

            offering = true;
            status = _target.OfferMessage(_links.NextHeader(), item, _links.Owner, consumeToAccept: false);
        }
#pragma warning disable CA1031 // a linked block of the application must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(_links.Counters, _links.Logger, exception);
            if (offering)
            {
                CountAccepted();
                return InlineOfferOutcome.Lost;
            }
        }

        if (status == DataflowMessageStatus.Accepted)
        {
            CountAccepted();
            return InlineOfferOutcome.Accepted;
        }

        if (counts && offering)
        {
            Interlocked.Decrement(ref _reserved);
        }

        if (status == DataflowMessageStatus.DecliningPermanently)
        {
            Ended();
        }

        return InlineOfferOutcome.Declined;
    }

    private void CountAccepted()
    {
        if (_maxMessages != DataflowBlockOptions.Unbounded && Interlocked.Increment(ref _accepted) == _maxMessages)
        {
            Dispose();
        }
    }

    /// <summary>Handles a target that accepts nothing any more: removes the link and finds the reason.</summary>
    private void Ended()
    {
        if (!_links.Remove(this) || _links.Owner.Completion.IsCompleted)
        {
            return;
        }

        try
        {
            Task? completion = CompletionOfTarget();
            if (completion is null)
            {
                return;
            }

            if (completion.IsCompletedSuccessfully || completion.IsCanceled || completion == _links.Owner.Completion)
            {
                MeshLog.LinkedTargetEnded(_links.Logger);
                return;
            }

            // A chain that the application encapsulated may decline before its last block has faulted.
            completion.ContinueWith(
                static (task, links) => Report((InlineBlockLinks<T>)links!, task.Exception!),
                _links,
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }
#pragma warning disable CA1031 // loggers and subscribers must not take the pipeline down
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(_links.Counters, _links.Logger, exception);
        }
    }

    private static void Report(InlineBlockLinks<T> links, AggregateException fault)
    {
        try
        {
            fault = fault.Flatten();
            links.RaiseTargetFaulted(fault.InnerExceptions.Count == 1 ? fault.InnerExceptions[0] : fault);
        }
#pragma warning disable CA1031 // see Ended
        catch (Exception exception)
#pragma warning restore CA1031
        {
            StageExceptionReporter.Report(links.Counters, links.Logger, exception);
        }
    }

    private Task? CompletionOfTarget()
    {
        try
        {
            return _target.Completion;
        }
        catch (NotSupportedException)
        {
            // The short-lived targets of ReceiveAsync and OutputAvailableAsync have none: they end after one message, as intended.
            return null;
        }
    }
}
