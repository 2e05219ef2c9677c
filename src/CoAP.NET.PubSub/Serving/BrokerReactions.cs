using System.Collections.Immutable;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Serving;

/// <summary>
/// What follows from changes of topics: notifications, other bounds of subscribers, and the log. It runs outside of the locks of the
/// table, as it may run code of users: on the thread that asked it, and on one of the scheduler for what other nodes and the clock change.
/// </summary>
internal sealed class BrokerReactions(TopicIndex index, CoapScheduler scheduler, PubSubCounts counts, ILogger logger)
{
    // Whether the thread asks the table and comes by later.
    [ThreadStatic]
    private static bool s_asks;

    private ImmutableArray<Collection> _collections = [];
    private int _wanted;

    /// <summary>A collection has topics that changes are to be told of.</summary>
    public void Add(Collection collection) =>
        ImmutableInterlocked.Update(ref _collections, static (all, added) => all.Add(added), collection);

    /// <summary>The thread is about to ask the table; <see cref="EndAsking"/> must follow on the same thread.</summary>
    public static void BeginAsking() => s_asks = true;

    /// <summary>The table has taken the question.</summary>
    public void EndAsking()
    {
        s_asks = false;
        Run();
    }

    /// <summary>Something changed. Any lock of the table may be held.</summary>
    public void Want()
    {
        if (!s_asks && index.HasNews && Interlocked.Exchange(ref _wanted, 1) == 0)
        {
            if (!scheduler.Queue(static state => ((BrokerReactions)state!).RunQueued(), this))
            {
                // It is done with the next change.
                Interlocked.Exchange(ref _wanted, 0);
            }
        }
    }

    /// <summary>Does what is to be done. No lock may be held.</summary>
    public void Run()
    {
        while (index.TakeNews(out TopicNews news))
        {
            if (news.Change == TopicChange.Gone)
            {
                Tell(news);
            }

            foreach (Collection collection in _collections)
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

    private void Tell(TopicNews news)
    {
        counts.Add(PubSubCount.Ended);
        if (news.IsExpired)
        {
            counts.Add(PubSubCount.Expired);
            PubSubLog.TopicExpired(logger, news.Topic.Path, news.Topic.State.Properties.Name!);
        }
        else
        {
            PubSubLog.TopicDeleted(logger, news.Topic.Path, news.Topic.State.Properties.Name!);
        }
    }
}
