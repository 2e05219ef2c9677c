using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Pipeline;

/// <summary>The links of a block that keeps no message: an array that is replaced on change, so that offering takes no lock.</summary>
internal sealed class InlineLinks<T>
{
    private readonly ISourceBlock<T> _owner;
    private readonly CoapCounters _counters;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private Link[] _links = [];
    private long _lastId;
    private bool _closed;
    private Exception? _fault;

    public InlineLinks(ISourceBlock<T> owner, CoapCounters counters, ILogger logger)
    {
        _owner = owner;
        _counters = counters;
        _logger = logger;
    }

    public IDisposable Add(ITargetBlock<T> target, DataflowLinkOptions options)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(options);
        Link link = new(this, target, options);
        bool propagate;
        Exception? fault;
        lock (_gate)
        {
            propagate = _closed && options.PropagateCompletion;
            fault = _fault;
            if (!_closed)
            {
                _links = options.Append ? [.. _links, link] : [link, .. _links];
            }
        }

        if (propagate)
        {
            Finish(target, fault);
        }

        return link;
    }

    public bool Offer(T item)
    {
        // The id only has to be other than zero and new; a lost update between threads would repeat one, so it is atomic only where targets could compare.
        Link[] links = Volatile.Read(ref _links);
        foreach (Link link in links)
        {
            if (link.Offer(_owner, new DataflowMessageHeader(Interlocked.Increment(ref _lastId)), item))
            {
                return true;
            }
        }

        return false;
    }

    public bool TryClose()
    {
        lock (_gate)
        {
            if (_closed)
            {
                return false;
            }

            _closed = true;
            return true;
        }
    }

    public void Propagate(Exception? fault)
    {
        Link[] links;
        lock (_gate)
        {
            _fault = fault;
            links = _links;
            _links = [];
        }

        foreach (Link link in links)
        {
            if (link.PropagatesCompletion)
            {
                Finish(link.Target, fault);
            }
        }
    }

    private static void Finish(ITargetBlock<T> target, Exception? fault)
    {
        if (fault is null)
        {
            target.Complete();
        }
        else
        {
            target.Fault(fault);
        }
    }

    private void Remove(Link link)
    {
        lock (_gate)
        {
            _links = Array.FindAll(_links, other => other != link);
        }
    }

    private sealed class Link : IDisposable
    {
        private readonly InlineLinks<T> _links;
        private readonly bool _unlimited;
        private int _remaining;

        public Link(InlineLinks<T> links, ITargetBlock<T> target, DataflowLinkOptions options)
        {
            _links = links;
            Target = target;
            PropagatesCompletion = options.PropagateCompletion;
            _unlimited = options.MaxMessages == DataflowBlockOptions.Unbounded;
            _remaining = options.MaxMessages;
        }

        public ITargetBlock<T> Target { get; }

        public bool PropagatesCompletion { get; }

        public bool Offer(ISourceBlock<T> owner, DataflowMessageHeader header, T item)
        {
            if (!_unlimited && Interlocked.Decrement(ref _remaining) < 0)
            {
                return false;
            }

            DataflowMessageStatus status;
            try
            {
                status = Target.OfferMessage(header, item, owner, consumeToAccept: false);
            }
#pragma warning disable CA1031 // a linked block of a user must not take the pipeline down
            catch (Exception exception)
#pragma warning restore CA1031
            {
                _links._counters.Add(CoapCounter.StageErrors);
                Log.StageFailed(_links._logger, exception);
                status = DataflowMessageStatus.Declined;
            }

            bool accepted = status == DataflowMessageStatus.Accepted;
            if (!_unlimited)
            {
                if (!accepted)
                {
                    Interlocked.Increment(ref _remaining);
                }
                else if (Volatile.Read(ref _remaining) <= 0)
                {
                    Dispose();
                }
            }

            if (status == DataflowMessageStatus.DecliningPermanently)
            {
                Dispose();
            }

            return accepted;
        }

        public void Dispose() => _links.Remove(this);
    }
}
