using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>The links of a block without a queue: an array that is replaced on change, so offering takes no lock.</summary>
internal sealed class InlineBlockLinks<T>
{
    private readonly Lock _gate = new();
    private InlineLink<T>[] _links = [];
    private InlineTarget<T>? _next;
    private long _lastId;

    // Guarded by _gate.
    private bool _closed;
    private Exception? _fault;

    public InlineBlockLinks(ISourceBlock<T> owner, CoapCounters counters, ILogger logger)
    {
        Owner = owner;
        Counters = counters;
        Logger = logger;
    }

    public event Action<Exception>? TargetFaulted;

    /// <summary>
    /// The target, if it is the only one, is an inline block, and gets everything, as nearly always. Otherwise null; use
    /// <see cref="Offer"/> then.
    /// </summary>
    public InlineTarget<T>? Next => Volatile.Read(ref _next);

    public ISourceBlock<T> Owner { get; }

    public CoapCounters Counters { get; }

    public ILogger Logger { get; }

    public IDisposable Add(ITargetBlock<T> target, DataflowLinkOptions options, Predicate<T>? predicate)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(options);
        InlineLink<T> link = new(this, target, options, predicate);
        lock (_gate)
        {
            if (!_closed)
            {
                Set(options.Append ? [.. _links, link] : [link, .. _links]);
                return link;
            }
        }

        // Too late to offer anything, but the target requested a notification of the end.
        link.Finish(_fault);
        return link;
    }

    public InlineOfferOutcome Offer(T item)
    {
        while (true)
        {
            InlineLink<T>[] links = Volatile.Read(ref _links);
            foreach (InlineLink<T> link in links)
            {
                InlineOfferOutcome outcome = link.Offer(item);
                if (outcome != InlineOfferOutcome.Declined)
                {
                    return outcome;
                }
            }

            // A target may have been removed, and have ended, since the array was read.
            if (ReferenceEquals(links, Volatile.Read(ref _links)))
            {
                return InlineOfferOutcome.Declined;
            }
        }
    }

    /// <summary>Offers an item again to the first target without a filter, which takes it when it has room.</summary>
    /// <returns>Completes with true if the target took it; null when no target supports this.</returns>
    public Task<bool>? OfferLater(T item)
    {
        foreach (InlineLink<T> link in Volatile.Read(ref _links))
        {
            if (link.OfferLater(item) is { } offered)
            {
                return offered;
            }
        }

        return null;
    }

    /// <summary>
    /// Returns a header that this source has not used before. Standard blocks compare ids only of offers that they postponed, and a block
    /// without a queue does not serve those. But blocks of the application may use them to distinguish messages, so they are unique over
    /// all threads. Inline blocks need no header.
    /// </summary>
    public DataflowMessageHeader NextHeader() => new(Interlocked.Increment(ref _lastId));

    public bool Remove(InlineLink<T> link)
    {
        lock (_gate)
        {
            int index = Array.IndexOf(_links, link);
            if (index < 0)
            {
                return false;
            }

            Set([.. _links.AsSpan(0, index), .. _links.AsSpan(index + 1)]);
            return true;
        }
    }

    /// <summary>Removes all links, once, and notifies the targets that requested it.</summary>
    public void Close(Exception? fault)
    {
        InlineLink<T>[] links;
        lock (_gate)
        {
            _closed = true;
            _fault = fault;
            links = _links;
            Set([]);
        }

        foreach (InlineLink<T> link in links)
        {
            link.Finish(fault);
        }
    }

    public void RaiseTargetFaulted(Exception exception)
    {
        MeshLog.LinkedTargetFaulted(Logger, exception);
        TargetFaulted?.Invoke(exception);
    }

    // Under the gate.
    private void Set(InlineLink<T>[] links)
    {
        _links = links;
        Volatile.Write(ref _next, links is [{ Direct: { } next }] ? next : null);
    }
}
