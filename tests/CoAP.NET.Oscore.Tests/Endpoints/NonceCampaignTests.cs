using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>
/// A client and a server between whom messages are lost, doubled, overtaken, replayed and forged, and that restart in order or crash. Read
/// from the wire: no key and nonce stand for two ciphertexts. And no request is executed twice. The seed says all.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class NonceCampaignTests
{
    private const int Worlds = 2;
    private const int Steps = 60;

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("8613-7.2-1", "8613-7.4-1")]
    public async Task No_nonce_is_reused_and_no_request_executed_twice_under_network_faults_and_crashes()
    {
        int factor = CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        int seed = CampaignSetting.Of("COAP_TEST_SEED", 1);
        int processes = 0;
        for (int i = 0; i < Worlds * factor; i++)
        {
            await using World world = new(seed + i, isStored: true);
            await world.RunAsync(Steps);
            Assert.True(world.Reused.Count == 0, $"Seed {seed + i}: {string.Join("; ", world.Reused)}");
            Assert.True(world.Repeated.Count == 0, $"Seed {seed + i}: executed twice: {string.Join(", ", world.Repeated)}");
            processes += world.Processes;
            Assert.True(world.Protected > Steps / 2, $"Only {world.Protected} protected messages were on the wire.");
        }

        Assert.True(processes > 0, "No second process used the store.");
    }

    [Fact]
    public async Task Numbers_and_windows_forgotten_at_a_restart_are_detected()
    {
        bool isReused = false;
        bool isRepeated = false;
        for (int seed = 1; !(isReused && isRepeated); seed++)
        {
            Assert.True(seed < 20, $"20 runs did not find it: reused {isReused}, repeated {isRepeated}.");
            await using World world = new(seed, isStored: false);
            await world.RunAsync(Steps);
            isReused |= world.Reused.Count > 0;
            isRepeated |= world.Repeated.Count > 0;
        }
    }

    private sealed class World : IAsyncDisposable
    {
        private static readonly CoapAddress s_server = InMemoryNetwork.Address("[2001:db8::1]:5683");
        private static readonly CoapAddress s_attacker = InMemoryNetwork.Address("[2001:db8::66]:1000");

        private readonly Random _random;
        private readonly OscoreWorld _world = new();
        private readonly bool _isStored;
        private readonly MemoryOscoreStore _clientStore = new();
        private readonly MemoryOscoreStore _serverStore = new();
        private readonly Dictionary<(bool IsServer, string Id, string Iv), string> _nonces = [];
        private readonly Dictionary<(CoapAddress Client, string Token), (string Kid, string Iv)> _requests = [];
        private readonly List<byte[]> _recorded = [];
        private readonly HashSet<string> _executed = [];
        private readonly ScriptedPeer _attacker;
        private OscoreContext _clientContext = null!;
        private OscoreContext _serverContext = null!;
        private readonly List<CoapClient> _clients = [];
        private CoapServer _server = null!;
        private int _asked;

        public World(int seed, bool isStored)
        {
            _random = new Random(seed);
            _isStored = isStored;
            _world.OnPacket = OnPacket;
            _attacker = _world.Network.CreatePeer(s_attacker, s_server);
        }

        public int Protected { get; private set; }

        public int Processes { get; private set; }

        public List<string> Reused { get; } = [];

        public List<string> Repeated { get; } = [];

        public async Task RunAsync(int steps)
        {
            await BeginServerAsync();
            await BeginClientAsync();
            for (int i = 0; i < steps; i++)
            {
                switch (_random.Next(12))
                {
                    case 0:
                        await _server.DisposeAsync();
                        await EndAsync(_serverContext);
                        await BeginServerAsync();
                        break;
                    case 1:
                        foreach (CoapClient client in _clients)
                        {
                            await client.DisposeAsync();
                        }

                        _clients.Clear();
                        await EndAsync(_clientContext);
                        await BeginClientAsync();
                        break;
                    case 5 when _clients.Count < 3:
                        // Another process on the same store, while the ones before go on with what they have.
                        Processes++;
                        await BeginClientAsync();
                        break;
                    case 2 or 3 or 4 when _recorded.Count > 0:
                        Replay();
                        break;
                    default:
                        await AskAsync();
                        break;
                }
            }
        }

        public async ValueTask DisposeAsync()
        {
            _attacker.Dispose();
            await _world.DisposeAsync();
        }

        // In order, or as a crash leaves it.
        private async Task EndAsync(OscoreContext context)
        {
            if (_random.Next(2) == 0)
            {
                await context.DisposeAsync();
            }
        }

        private async Task BeginServerAsync()
        {
            OscoreParameters parameters = OscoreWorld.Parameters("01", "");
            _serverContext = _isStored
                ? await _world.RunAsync(OpenAsync(parameters, _serverStore))
                : OscoreContext.CreateVolatile(parameters);
            _server = _world.Server(_serverContext);
            _server.MapPost("/do", request =>
            {
                string what = Encoding.UTF8.GetString(request.Payload.Span);
                if (!_executed.Add(what))
                {
                    Repeated.Add(what);
                }

                return CoapResults.Changed(CoapContent.Text($"done {what}"));
            }).RequireOscore();
            _server.MapGet("/state", () => CoapResults.Text($"state {_executed.Count}")).RequireOscore();
            await _server.StartAsync();
        }

        private async Task BeginClientAsync()
        {
            OscoreParameters parameters = OscoreWorld.Parameters("", "01");
            _clientContext = _isStored
                ? await _world.RunAsync(OpenAsync(parameters, _clientStore))
                : OscoreContext.CreateVolatile(parameters);
            _clients.Add(_world.Client(_clientContext));
        }

        private Task<OscoreContext> OpenAsync(OscoreParameters parameters, IOscoreStore store) => OscoreContext.OpenAsync(
            parameters, store, new VirtualScheduler(_world.Clock), _world.Clock, new VirtualRandom((ulong)_random.Next())).AsTask();

        private async Task AskAsync()
        {
            bool isGet = _random.Next(3) == 0;
            CoapRequest request = isGet
                ? new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/state")
                : new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do")
                {
                    Content = CoapContent.Text(string.Create(CultureInfo.InvariantCulture, $"{++_asked}")),
                };
            try
            {
                await _world.SendAsync(_clients[_random.Next(_clients.Count)], request);
            }
            catch (CoapException)
            {
                // The network was too bad, or the server does not know the number any more; the next request goes on.
            }
        }

        private void Replay()
        {
            byte[] bytes = [.. _recorded[_random.Next(_recorded.Count)]];

            // Another Message ID, as the same is known already; sometimes a bit of the ciphertext is changed.
            BitConverter.TryWriteBytes(bytes.AsSpan(2), (ushort)_random.Next());
            if (_random.Next(4) == 0)
            {
                bytes[^_random.Next(1, 9)] ^= (byte)(1 << _random.Next(8));
            }

            _attacker.Send(bytes);
            _world.Clock.Advance(FromSeconds(1));
            _attacker.Clear();
        }

        private NetworkVerdict OnPacket(NetworkPacket packet)
        {
            if (packet.From == s_attacker || packet.To == s_attacker)
            {
                return NetworkVerdict.Pass;
            }

            Note(packet);
            return _random.Next(20) switch
            {
                0 or 1 => NetworkVerdict.Drop,
                2 => NetworkVerdict.Duplicate(),
                3 => NetworkVerdict.Delay(FromMilliseconds(_random.Next(8_000))),
                4 => Forge(packet),
                _ => NetworkVerdict.Pass,
            };
        }

        // A bit is changed on the way; an empty message stays as it is.
        private NetworkVerdict Forge(NetworkPacket packet)
        {
            byte[] bytes = packet.Data.ToArray();
            if (bytes.Length > 16)
            {
                bytes[^_random.Next(1, 9)] ^= (byte)(1 << _random.Next(8));
            }

            return NetworkVerdict.Replace(bytes);
        }

        private void Note(NetworkPacket packet)
        {
            byte[] bytes = packet.Data.ToArray();
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)bytes);
            if (!message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> option)
                || !OscoreOptionValue.TryRead(option, out OscoreOptionValue value))
            {
                return;
            }

            Protected++;
            bool isServer = packet.From == s_server;
            string iv = Convert.ToHexStringLower(value.PartialIv);
            (CoapAddress, string) token = (isServer ? packet.To : packet.From, Convert.ToHexStringLower(message.Token.ToArray()));
            (string Id, string Iv) nonce;
            if (message.Code.IsRequest)
            {
                _recorded.Add(bytes);
                nonce = (Convert.ToHexStringLower(value.Kid), iv);
                _requests[token] = nonce;
            }
            else
            {
                nonce = value.HasPartialIv ? ("01", iv) : _requests[token];
            }

            string ciphertext = Convert.ToHexStringLower(message.Payload.Span);
            if (!_nonces.TryAdd((isServer, nonce.Id, nonce.Iv), ciphertext) && _nonces[(isServer, nonce.Id, nonce.Iv)] != ciphertext)
            {
                Reused.Add($"{(isServer ? "server" : "client")} kid={nonce.Id} iv={nonce.Iv}");
            }
        }
    }
}
