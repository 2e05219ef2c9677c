using System.Collections.Concurrent;

namespace CoAP.NET.PubSub.Tests;

/// <summary>
/// What is asked once more, as its answer was lost between two nodes, and what came too late: nothing that is newer is overwritten.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RepeatTests
{
    private static readonly CoapTableKey s_key = new("topic1"u8);

    [Fact]
    public void A_repeated_deletion_of_data_does_not_delete_a_later_publication()
    {
        Entry entry = new();
        entry.Ask(Publish(new TopicRequestId(1, 1), "first"));
        TopicOwnerRequest deletion = Ask(TopicOwnerOperation.DeleteData, new TopicRequestId(2, 1));
        Assert.Equal(CoapCode.Deleted, entry.Ask(deletion));
        Assert.Equal(CoapCode.Created, entry.Ask(Publish(new TopicRequestId(1, 2), "second")));
        Assert.Equal(CoapCode.Deleted, entry.Ask(deletion));
        Assert.Equal("second", entry.Text);
    }

    [Fact]
    public void A_repeated_publication_gets_the_same_code_as_the_first_time()
    {
        Entry entry = new();
        TopicOwnerRequest first = Publish(new TopicRequestId(1, 1), "first");
        TopicOwnerRequest second = Publish(new TopicRequestId(1, 2), "second");
        TopicOwnerRequest afterDeletion = Publish(new TopicRequestId(1, 3), "third");
        Assert.Equal((CoapCode.Created, CoapCode.Created), (entry.Ask(first), entry.Ask(first)));
        Assert.Equal((CoapCode.Changed, CoapCode.Changed), (entry.Ask(second), entry.Ask(second)));
        Assert.Equal(CoapCode.Deleted, entry.Ask(Ask(TopicOwnerOperation.DeleteData, new TopicRequestId(2, 1))));
        Assert.Equal((CoapCode.Created, CoapCode.Created), (entry.Ask(afterDeletion), entry.Ask(afterDeletion)));

        // The topic got another format meanwhile: the publication was applied nevertheless.
        Assert.Equal(CoapCode.Changed, entry.Ask(Ask(TopicOwnerOperation.Change, new TopicRequestId(2, 2)) with
        {
            Properties = new() { ContentFormat = CoapContentFormat.Cbor },
        }));
        Assert.Equal(CoapCode.Created, entry.Ask(afterDeletion with { Format = CoapContentFormat.TextPlain }));
        Assert.Equal("third", entry.Text);
    }

    [Fact]
    public void A_repeated_change_of_properties_does_not_undo_a_later_change()
    {
        Entry entry = new();
        TopicOwnerRequest ten = Ask(TopicOwnerOperation.Change, new TopicRequestId(1, 2)) with
        {
            Properties = new() { MaxSubscribers = 10 },
        };
        TopicOwnerRequest twenty = Ask(TopicOwnerOperation.Change, new TopicRequestId(2, 1)) with
        {
            Properties = new() { MaxSubscribers = 20 },
        };

        // An earlier one of the same broker that comes later changes something else, so it counts.
        TopicOwnerRequest earlier = Ask(TopicOwnerOperation.Replace, new TopicRequestId(1, 1)) with
        {
            Properties = new() { TopicType = "x" },
        };
        Assert.Equal(CoapCode.Changed, entry.Ask(ten));
        Assert.Equal(CoapCode.Changed, entry.Ask(twenty));
        Assert.Equal(CoapCode.Changed, entry.Ask(ten));
        Assert.Equal(20u, entry.State!.Properties.MaxSubscribers);
        Assert.Equal(CoapCode.Changed, entry.Ask(earlier));
        Assert.Equal((null, "x"), (entry.State!.Properties.MaxSubscribers, entry.State.Properties.TopicType));
        Assert.Equal(CoapCode.Changed, entry.Ask(twenty));
        Assert.Null(entry.State!.Properties.MaxSubscribers);
    }

    [Fact]
    public void A_late_operation_on_a_deleted_topic_does_not_affect_a_new_topic_of_the_same_name()
    {
        Entry entry = new();
        TopicOwnerRequest deletion = Ask(TopicOwnerOperation.Delete, new TopicRequestId(1, 1));
        Assert.Equal(CoapCode.Deleted, entry.Ask(deletion));
        entry.Make(creation: 8);
        foreach (TopicOwnerRequest late in new[]
        {
            deletion, Publish(new TopicRequestId(1, 2), "late"), Ask(TopicOwnerOperation.DeleteData, new TopicRequestId(1, 3)),
            Ask(TopicOwnerOperation.Change, new TopicRequestId(1, 4)),
        })
        {
            Assert.Equal(CoapCode.NotFound, entry.Ask(late));
        }

        Assert.Equal((8ul, false), (entry.State!.Creation, entry.State.HasData));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Repeated_publications_in_any_order_never_undo_the_last_publication_of_a_broker(int seed)
    {
        VirtualRandom random = new((ulong)seed);
        Entry entry = new();
        List<TopicOwnerRequest> asked = [];
        Dictionary<ulong, ulong> last = [];
        int repeated = 0;
        for (int step = 0; step < 5_000; step++)
        {
            TopicState before = entry.State!;
            if (asked.Count > 0 && random.NextUInt64() % 2 == 0)
            {
                // One of the latest ones again, or one that was kept back. Each broker asks 4 of 5 at once.
                TopicOwnerRequest again = asked[^(1 + (int)(random.NextUInt64() % (ulong)Math.Min(40, asked.Count)))];
                bool isNew = again.Stamp.Number > last.GetValueOrDefault(again.Stamp.Broker);
                Assert.True(entry.Ask(again).IsSuccess);
                Assert.Equal(isNew, !ReferenceEquals(before, entry.State));
                last[again.Stamp.Broker] = Math.Max(again.Stamp.Number, last.GetValueOrDefault(again.Stamp.Broker));
                repeated += isNew ? 0 : 1;
                continue;
            }

            ulong broker = 1 + (random.NextUInt64() % AppliedTopicRequests.Most);
            TopicOwnerRequest next = Publish(new TopicRequestId(broker, (ulong)step + 1), $"{step}");
            asked.Add(next);
            if (random.NextUInt64() % 5 != 0)
            {
                Assert.True(entry.Ask(next).IsSuccess);
                Assert.Equal($"{step}", entry.Text);
                last[broker] = next.Stamp.Number;
            }
        }

        Assert.InRange(repeated, 1_000, 4_000);
    }

    [Fact]
    public async Task An_operation_repeated_by_another_node_is_invisible_to_clients()
    {
        RepeatingTable table = new();
        await using PubSubWorld world = new(options =>
            options.OpenTable = rules => CoapReplicatedTable.InMemory(table.Of(rules), options.TimeProvider));
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("door"));
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("open")));
        byte[] open = table.Last!;
        await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("shut")));
        List<string> heard = [];
        CoapObservation observation = await world.RunAsync(() => world.Client.ObserveAsync(data, state => heard.Add(state.GetText())));

        // What the node was asked for now is not asked; what it had asked for comes once more in its place.
        table.Repeat = open;
        Assert.False(await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("never asked"))));
        Assert.Equal("shut", (await world.RunAsync(() => topic.GetDataAsync()))!.GetText());
        await world.RunAsync(() => topic.PublishAsync(CoapContent.Text("open again")));
        await world.UntilAsync(() => heard.Contains("open again"));
        Assert.Equal(["shut", "open again"], heard);
        await world.EndAsync(observation);
    }

    [Fact]
    public async Task A_conditional_publication_is_refused_when_a_newer_state_was_published_meanwhile()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("door"));
        string data = new Uri((await world.RunAsync(() => topic.FindDataAsync())).ToString()).AbsolutePath;
        Assert.Equal("2.01", await PublishAsync("30", request => request.Options.IfNoneMatch = true));
        Assert.Equal("4.12", await PublishAsync("31", request => request.Options.IfNoneMatch = true));
        CoapETag tag = (await world.AskAsync(CoapMethod.Get, data)).Response.Options.ETag!.Value;
        Assert.Equal("2.04", await PublishAsync("32"));
        Assert.Equal("4.12", await PublishAsync("33", request => If(request, tag)));
        Assert.Equal("4.12", await DeleteAsync(data, request => If(request, tag)));
        tag = (await world.AskAsync(CoapMethod.Get, data)).Response.Options.ETag!.Value;
        Assert.Equal("2.04", await PublishAsync("34", request => If(request, tag)));

        // The configuration likewise.
        string path = new Uri(topic.Uri.ToString()).AbsolutePath;
        tag = (await world.AskAsync(CoapMethod.Get, path)).Response.Options.ETag!.Value;
        Assert.Equal("2.04", (await world.AskAsync(CoapMethod.IPatch, path, "a1 06 05", more: request => If(request, tag))).Code);
        Assert.Equal("4.12", (await world.AskAsync(CoapMethod.IPatch, path, "a1 06 06", more: request => If(request, tag))).Code);
        Assert.Equal("4.12", await DeleteAsync(path, request => If(request, tag)));
        tag = (await world.AskAsync(CoapMethod.Get, path)).Response.Options.ETag!.Value;
        Assert.Equal("2.02", await DeleteAsync(path, request => If(request, tag)));

        async Task<string> PublishAsync(string payload, Action<CoapRequest>? more = null) =>
            (await world.AskAsync(CoapMethod.Put, data, payload, format: 0, more: more)).Code;

        async Task<string> DeleteAsync(string at, Action<CoapRequest> more) =>
            (await world.AskAsync(CoapMethod.Delete, at, more: more)).Code;
    }

    [Fact]
    public void A_condition_is_also_checked_by_the_node_that_decides()
    {
        Entry entry = new();
        entry.Ask(Publish(new TopicRequestId(1, 1), "first"));
        ulong tag = entry.State!.DataTag;

        // Another node has heard of the first one only.
        entry.Ask(Publish(new TopicRequestId(2, 1), "second"));
        TopicOwnerRequest conditional = Publish(new TopicRequestId(1, 2), "third") with { Expected = tag };
        Assert.Equal(CoapCode.PreconditionFailed, entry.Ask(conditional));
        Assert.Equal("second", entry.Text);
        Assert.Equal(CoapCode.Changed, entry.Ask(conditional with { Expected = entry.State!.DataTag }));
        Assert.Equal("third", entry.Text);
    }

    [Fact]
    public void A_state_that_replaces_a_lost_state_has_another_ETag()
    {
        Entry entry = new();
        entry.Ask(Publish(new TopicRequestId(1, 1), "first"));
        TopicState kept = entry.State!;
        entry.Ask(Publish(new TopicRequestId(1, 2), "lost"));
        TopicState lost = entry.State!;
        entry.State = kept;
        entry.Ask(Publish(new TopicRequestId(1, 3), "in its place"));
        Assert.Equal(lost.DataVersion, entry.State!.DataVersion);
        Assert.NotEqual(lost.DataTag, entry.State.DataTag);
        Assert.NotEqual(lost.DataMarks, entry.State.DataMarks);
    }

    private static void If(CoapRequest request, CoapETag tag) => request.Options.Add(new IfMatchOption(tag.ToArray()));

    private static TopicOwnerRequest Publish(TopicRequestId stamp, string text) =>
        Ask(TopicOwnerOperation.Publish, stamp) with { Data = Encoding.UTF8.GetBytes(text) };

    private static TopicOwnerRequest Ask(TopicOwnerOperation operation, TopicRequestId stamp) => new()
    {
        Operation = operation, Stamp = stamp, Creation = 7, Properties = new CoapTopicProperties(),
    };

    /// <summary>The entry of a topic at its owner.</summary>
    private sealed class Entry
    {
        public Entry() => Make(creation: 7);

        public TopicState? State { get; set; }

        public string Text => Encoding.UTF8.GetString(State!.Data.Span);

        public void Make(ulong creation) => State = new TopicState
        {
            Collection = "/ps", Source = "x", Creation = creation, Properties = new CoapTopicProperties("door"),
        };

        public CoapCode Ask(TopicOwnerRequest request)
        {
            CoapTableDecision decision = TopicOperationRules.Decide(
                new CoapTableDecisionContext(s_key, State?.Write(), request.Write(), Timeout.InfiniteTimeSpan, DateTimeOffset.UnixEpoch));
            State = decision.IsRemoval ? null : decision.IsPut ? TopicState.Read(decision.Value) : State;
            return TopicOwnerResponse.Read(decision.Reply).Code;
        }
    }

    /// <summary>Asks the rules what was asked before, where a test says so.</summary>
    private sealed class RepeatingTable
    {
        private readonly ConcurrentQueue<byte[]> _asked = [];

        public byte[]? Last => _asked.LastOrDefault();

        public byte[]? Repeat { get; set; }

        public ICoapReplicatedTableRules Of(ICoapReplicatedTableRules rules) => new Rules(this, rules);

        private sealed class Rules(RepeatingTable table, ICoapReplicatedTableRules inner) : ICoapReplicatedTableRules
        {
            public CoapTableDecision Decide(CoapTableDecisionContext context)
            {
                byte[] asked = table.Repeat ?? context.Bytes.ToArray();
                table.Repeat = null;
                table._asked.Enqueue(asked);
                return inner.Decide(context with { Bytes = asked });
            }

            public void OnChanged(CoapTableChange change) => inner.OnChanged(change);
        }
    }
}
