using System.Collections.Concurrent;
using System.Globalization;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.PubSub.Tests;

/// <summary>Three nodes with one collection, of which one is killed while all of them are published to.</summary>
/// <remarks>Real clock: clients reach the nodes over loopback.</remarks>
public sealed class KilledNodeTests : IAsyncDisposable
{
    private const int Topics = 24;
    private static readonly TimeSpan s_patience = FromSeconds(3);

    private readonly CoapClient _client = new();
    private readonly CoapMemoryCluster _memory = new();
    private readonly NodeHub _hub = new();
    private readonly List<TopicNode> _nodes = [];
    private readonly ConcurrentDictionary<string, int> _published = new();
    private readonly CancellationTokenSource _killed = new();
    private readonly CancellationTokenSource _enough = new();
    private TopicNode[] _left = [];

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        foreach (TopicNode node in _nodes)
        {
            await node.DisposeAsync();
        }

        _killed.Dispose();
        _enough.Dispose();
    }

    [Fact]
    public async Task Answered_publications_survive_a_killed_node_and_subscribers_never_get_an_older_state() =>
        await RunAsync(keepsEach: true);

    [Fact]
    public async Task Topics_continue_at_other_nodes_also_without_storing_each_publication() => await RunAsync(keepsEach: false);

    private async Task RunAsync(bool keepsEach)
    {
        for (int i = 0; i < 3; i++)
        {
            _nodes.Add(await TopicNode.StartAsync(_hub, _memory.Open(), keepsEach));
        }

        _left = [.. _nodes];
        await TopicNode.ShareAsync([.. _nodes]);
        List<string> paths = [];
        for (int i = 0; i < Topics; i++)
        {
            paths.Add(await CreateAsync(_nodes[i % 3], $"topic {i}"));
        }

        await Eventually.IsTrueAsync(() => _nodes.All(node => node.Broker.GetCounters().Topics == Topics));
        Task[] publishers = [.. paths.Select(path => PublishAsync(path, keepsEach))];
        await UntilPublishedAsync(paths, 3, publishers);
        List<Subscriber> subscribers = [];
        foreach (string path in paths)
        {
            subscribers.Add(await Subscriber.StartAsync(_client, _nodes[1], path));
            subscribers.Add(await Subscriber.StartAsync(_client, _nodes[2], path));
        }

        // What is created at the node up to its end is there as well, when it was answered.
        Task<List<string>> creating = CreateUntilKilledAsync();
        await UntilPublishedAsync(paths, 6, publishers);
        _left = _left[1..];
        await _nodes[0].KillAsync();
        await _killed.CancelAsync();
        await UntilPublishedAsync(paths, 12, publishers);
        await _enough.CancelAsync();
        await Task.WhenAll(publishers);
        List<string> created = await creating;
        Assert.NotEmpty(created);
        await TopicNode.ShareAsync(_left);
        foreach (TopicNode node in _left)
        {
            foreach (string path in created)
            {
                await UntilAsync(async () =>
                    (await SendAsync(new CoapRequest(CoapMethod.Get, $"{node.Uri}{path}"))).Code == CoapCode.Content);
            }

            foreach (string path in paths)
            {
                await UntilAsync(async () => await ReadAsync(node, path) == _published[path]);
            }
        }

        await Eventually.IsTrueAsync(() => subscribers.All(one => one.Last == _published[one.Path]));
        foreach (Subscriber subscriber in subscribers)
        {
            if (keepsEach)
            {
                Assert.Equal(subscriber.Heard.Order(), subscriber.Heard);
            }

            await subscriber.DisposeAsync();
        }
    }

    // One publication after the other, each until it is answered, at all nodes in turn. It is tried again at the same one while that is
    // there: what was asked of a node takes effect after all, and must not come behind what is asked of another one.
    private async Task PublishAsync(string path, bool isKept)
    {
        for (int number = 1; !_enough.IsCancellationRequested; number++)
        {
            TopicNode[] left = Volatile.Read(ref _left);
            TopicNode node = left[number % left.Length];
            while (!await TryPublishAsync(node, path, number))
            {
                left = Volatile.Read(ref _left);
                node = left.Contains(node) ? node : left[number % left.Length];
            }

            _published[path] = number;

            // Who has answered knows it.
            int? read = await TryReadAsync(node, path);
            Assert.True(!isKept || read is null || read == number, $"{number} was published, and {read} is read at the same node.");
        }
    }

    private async Task<bool> TryPublishAsync(TopicNode node, string path, int number)
    {
        try
        {
            CoapResponse response = await SendAsync(new CoapRequest(CoapMethod.Put, $"{node.Uri}{DataOf(path)}")
            {
                Content = CoapContent.Text($"{number}"),
            });
            Assert.True(response.IsSuccess || response.Code == CoapCode.ServiceUnavailable, $"{response.Code} {response.GetText()}");
            return response.IsSuccess;
        }
        catch (CoapException)
        {
            // It was killed, or is slow.
            return false;
        }
    }

    private async Task<List<string>> CreateUntilKilledAsync()
    {
        List<string> created = [];
        try
        {
            for (int i = 0; !_killed.IsCancellationRequested; i++)
            {
                created.Add(await CreateAsync(_nodes[0], $"late {i}"));
            }
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // The one that was not answered may be there or not.
        }

        return created;
    }

    private async Task<string> CreateAsync(TopicNode node, string name)
    {
        CoapTopic topic = await new CoapPubSubClient(_client, $"{node.Uri}/ps").CreateAsync(new CoapTopicProperties(name), _killed.Token);
        return new Uri(topic.Uri.ToString()).AbsolutePath;
    }

    private async Task<int?> TryReadAsync(TopicNode node, string path)
    {
        try
        {
            return await ReadAsync(node, path);
        }
        catch (CoapException)
        {
            return null;
        }
    }

    private async Task<int> ReadAsync(TopicNode node, string path) =>
        int.Parse((await SendAsync(new CoapRequest(CoapMethod.Get, $"{node.Uri}{DataOf(path)}"))).EnsureSuccess().GetText(),
            CultureInfo.InvariantCulture);

    private Task<CoapResponse> SendAsync(CoapRequest request)
    {
        request.Timeout = s_patience;
        return _client.SendAsync(request);
    }

    private Task UntilPublishedAsync(List<string> paths, int more, Task[] publishers)
    {
        Dictionary<string, int> begin = paths.ToDictionary(path => path, path => _published.GetValueOrDefault(path));
        return Eventually.IsTrueAsync(() => publishers.Any(one => one.IsFaulted)
            || paths.All(path => _published.GetValueOrDefault(path) >= begin[path] + more));
    }

    private static string DataOf(string path) => path.Replace("/ps/", "/ps/data/", Ordinal);

    private static async Task UntilAsync(Func<Task<bool>> isSo)
    {
        using CancellationTokenSource guard = new(FromMinutes(2));
        for (int looks = 0; !await isSo(); looks++)
        {
            guard.Token.ThrowIfCancellationRequested();
            await Eventually.PauseAsync(looks);
        }
    }

    /// <summary>Hears of a topic at a node.</summary>
    private sealed class Subscriber : IAsyncDisposable
    {
        private readonly ConcurrentQueue<int> _heard = new();
        private CoapObservation? _observation;

        private Subscriber(string path) => Path = path;

        public string Path { get; }

        public int[] Heard => [.. _heard];

        public int Last => _heard.LastOrDefault();

        public static async Task<Subscriber> StartAsync(CoapClient client, TopicNode node, string path)
        {
            Subscriber subscriber = new(path);
            subscriber._observation = await client.ObserveAsync($"{node.Uri}{DataOf(path)}", state =>
            {
                if (state.IsSuccess)
                {
                    subscriber._heard.Enqueue(int.Parse(state.GetText(), CultureInfo.InvariantCulture));
                }
            });
            return subscriber;
        }

        public ValueTask DisposeAsync() => _observation!.DisposeAsync();
    }
}
