using System.Collections.Immutable;
using CoAP.NET.Diagnostics;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Serving;

/// <summary>
/// Reacts to changes of topics: notifications, subscriber limits, and the log. It runs outside of the locks of the table because it may
/// call user code: on the asking thread for its own changes, and on the scheduler for changes by other nodes and the clock.
/// </summary>
internal sealed class TopicChangeReactions(
    TopicIndex index, CoapThreadScheduler scheduler, EventCounter<PubSubCounterKind> counts, ILogger logger)
{
    // Whether this thread is asking the table and will run the reactions afterwards.
    [ThreadStatic]
    private static bool s_asks;

    private ImmutableArray<TopicCollection> _collections = [];
    private int _wanted;

    /// <summary>Registers a collection whose topics need reactions.</summary>
    public void Add(TopicCollection collection) =>
        ImmutableInterlocked.Update(ref _collections, static (all, added) => all.Add(added), collection);

    /// <summary>Marks this thread as asking the table; <see cref="EndAsking"/> must follow on the same thread.</summary>
    public static void BeginAsking() => s_asks = true;

    /// <summary>Ends <see cref="BeginAsking"/>: the table has taken the request.</summary>
    public void EndAsking()
    {
        s_asks = false;
        Run();
    }

    /// <summary>Requests a run after a change. The caller may hold any lock of the table.</summary>
    public void Want()
    {
        if (!s_asks && index.HasUpdates && Interlocked.Exchange(ref _wanted, 1) == 0)
        {
            if (!scheduler.Queue(static state => ((TopicChangeReactions)state!).RunQueued(), this))
            {
                // The next change triggers another attempt.
                Interlocked.Exchange(ref _wanted, 0);
            }
        }
    }

    // The caller must not hold a lock.
    private void Run()
    {
        while (index.TryTakeUpdate(out TopicChangeEvent news))
        {
            if (news.Change == TopicChange.Gone)
            {
                Report(news);
            }

            foreach (TopicCollection collection in _collections)
            {
                collection.OnChanged(news.Topic, news.Change);
            }
        }
    }

    private void RunQueued()
    {
        Interlocked.Exchange(ref _wanted, 0);
        Run();
    }

    private void Report(TopicChangeEvent news)
    {
        counts.Add(PubSubCounterKind.Ended);
        if (news.IsExpired)
        {
            counts.Add(PubSubCounterKind.Expired);
            PubSubLog.TopicExpired(logger, news.Topic.Path, news.Topic.State.Properties.Name!);
        }
        else
        {
            PubSubLog.TopicDeleted(logger, news.Topic.Path, news.Topic.State.Properties.Name!);
        }
    }
}
