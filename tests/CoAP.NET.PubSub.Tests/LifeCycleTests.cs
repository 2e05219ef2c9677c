namespace CoAP.NET.PubSub.Tests;

/// <summary>
/// The life cycle of topics (draft-ietf-core-coap-pubsub-21 section 2.5) as a property: whatever is asked in whatever order, the answers
/// are those of a model.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LifeCycleTests
{
    [Theory]
    [Rfc("pubsub-3.1-1")]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Topics_are_created_half_and_fully_and_end_as_a_model_says(int seed)
    {
        await using PubSubWorld world = new(options => options.PublicationsPerSecond = null);
        await world.StartAsync();
        VirtualRandom random = new((ulong)seed);
        Model[] models = [new("a"), new("b"), new("c")];
        HashSet<string> seen = [];
        for (int step = 0; step < 400; step++)
        {
            Model model = models[random.NextUInt64() % 3];
            model.Look(world.Clock.GetUtcNow());
            (string what, string expected, string got) = await StepAsync(world, model, (int)(random.NextUInt64() % 11));
            Assert.True(expected == got, $"Step {step}, {what} of {model.Name}: {got} in place of {expected}.");
            seen.Add($"{what} {got}");
            Assert.Equal(models.Count(one => one.Exists(world.Clock.GetUtcNow())), world.Broker.GetCounters().Topics);
        }

        // All answers of the life cycle came up.
        string[] all =
        [
            "create 2.01", "create 4.00", "initialize 2.01", "read 2.05", "read 4.04", "publish 2.01", "publish 2.04", "publish 4.04",
            "get 2.05", "get 4.04", "delete data 2.02", "delete data 4.04", "delete 2.02", "delete 4.04", "change 2.04", "change 4.04",
        ];
        Assert.Empty(all.Except(seen));
    }

    private static async Task<(string What, string Expected, string Got)> StepAsync(PubSubWorld world, Model model, int step)
    {
        DateTimeOffset now = world.Clock.GetUtcNow();
        bool there = model.Exists(now);
        string topic = model.Path ?? "/ps/000000000000";
        string data = topic.Replace("/ps/", "/ps/data/", StringComparison.Ordinal);
        switch (step)
        {
            case 0 or 1:
                bool initialized = step == 1;
                string type = Convert.ToHexStringLower("core.ps.data"u8);
                string name = Convert.ToHexStringLower(System.Text.Encoding.UTF8.GetBytes(model.Name));
                (string code, _, CoapResponse response) = await world.AskAsync(
                    CoapMethod.Post, "/ps", $"a{(initialized ? 4 : 2)} 00 61 {name} 02 6c {type}{(initialized ? "03 00 08 41 30" : "")}");
                if (!there && code.StartsWith("2.01", StringComparison.Ordinal))
                {
                    (model.Path, model.HasData, model.End) = (response.Options.Location, initialized, null);
                }

                return (initialized ? "initialize" : "create", there ? "4.00" : "2.01", code[..4]);
            case 2:
                return ("read", there ? "2.05" : "4.04", (await world.AskAsync(CoapMethod.Get, topic)).Code[..4]);
            case 3 or 4:
                (code, _, _) = await world.AskAsync(CoapMethod.Put, data, "31", format: 0);
                string expected = !there ? "4.04" : model.HasData ? "2.04" : "2.01";
                model.HasData |= there;
                return ("publish", expected, code[..4]);
            case 5 or 6:
                return ("get", there && model.HasData ? "2.05" : "4.04", (await world.AskAsync(CoapMethod.Get, data)).Code[..4]);
            case 7:
                expected = there && model.HasData ? "2.02" : "4.04";
                model.HasData = false;
                return ("delete data", expected, (await world.AskAsync(CoapMethod.Delete, data)).Code[..4]);
            case 8:
                (model.HasData, model.End) = (false, DateTimeOffset.MinValue);
                return ("delete", there ? "2.02" : "4.04", (await world.AskAsync(CoapMethod.Delete, topic)).Code[..4]);
            case 9:
                DateTimeOffset end = DateTimeOffset.FromUnixTimeSeconds(now.ToUnixTimeSeconds() + 60);
                (code, _, _) = await world.AskAsync(CoapMethod.IPatch, topic, $"a1 05 c1 1a {end.ToUnixTimeSeconds():x8}");
                model.End = there ? end : model.End;
                return ("change", there ? "2.04" : "4.04", code[..4]);
            default:
                await world.PassAsync(TimeSpan.FromSeconds(25));
                return ("wait", "", "");
        }
    }

    private sealed class Model(string name)
    {
        public string Name { get; } = name;

        public string? Path { get; set; }

        public bool HasData { get; set; }

        public DateTimeOffset? End { get; set; }

        public bool Exists(DateTimeOffset now) => Path is not null && (End is not { } end || now < end);

        public void Look(DateTimeOffset now) => HasData &= Exists(now);
    }
}
