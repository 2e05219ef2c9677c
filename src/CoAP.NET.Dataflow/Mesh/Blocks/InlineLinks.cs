using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>The links of a block that keeps no message: an array that is replaced on change, so that offering takes no lock.</summary>
internal sealed class InlineLinks<T>
{
    private readonly Lock _gate = new();
    private InlineLink<T>[] _links = [];
    private InlineTarget<T>? _next;
    private long _lastId;

    // Guarded by _gate.
    private bool _closed;
    private Exception? _fault;

    public InlineLinks(ISourceBlock<T> owner, CoapCounters counters, ILogger logger)
    {
        Owner = owner;
        Counters = counters;
        Logger = logger;
    }

    public event Action<Exception>? TargetFaulted;

    /// <summary>
    /// The target where it is the only one, of our own kind, and gets everything; nearly always so. Null otherwise: then ask
    /// <see cref="Offer"/>.
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

        // Too late to offer anything, but the target asked to hear of the end.
        link.Finish(_fault);
        return link;
    }

    public InlineOutcome Offer(T item)
    {
        foreach (InlineLink<T> link in Volatile.Read(ref _links))
        {
            InlineOutcome outcome = link.Offer(item);
            if (outcome != InlineOutcome.Declined)
            {
                return outcome;
            }
        }

        return InlineOutcome.Declined;
    }

    /// <summary>Offers an item once more to the first target without a filter, which takes it when it has room.</summary>
    /// <returns>Ends with whether it was taken; null when there is no target that could.</returns>
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
    /// A header that this source never gave before. Standard blocks compare ids only of offers they postponed, and those can never be had
    /// later from a block that keeps nothing; but blocks of users may tell messages apart by them, so they are unique over all threads.
    /// Blocks of our own need no header.
    /// </summary>
    public DataflowMessageHeader NextHeader() => new(Interlocked.Increment(ref _lastId));

    /// <summary>Takes a link away.</summary>
    /// <returns>Whether it was still there.</returns>
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

    /// <summary>Takes all links away, once, and tells the end to the targets that asked for it.</summary>
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
        Log.LinkedTargetFaulted(Logger, exception);
        TargetFaulted?.Invoke(exception);
    }

    // Under the gate.
    private void Set(InlineLink<T>[] links)
    {
        _links = links;
        Volatile.Write(ref _next, links is [{ Direct: { } next }] ? next : null);
    }
}
