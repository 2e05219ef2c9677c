using CoAP.NET.QBlock;

namespace CoAP.NET.Tests.Engines;

/// <summary>A path that loses what it carries, over every engine that carries datagrams.</summary>
public abstract class LossyEngines<TEngines>
    where TEngines : IEngineList
{
    public static TheoryData<string> Engines => TEngines.Datagrams;

    private protected static Task<EngineWorld> StartAsync(
        string engine, Action<CoapServer> map, CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off) =>
        EngineWorld.StartAsync<TEngines>(
            engine,
            server =>
            {
                server.MapGet("/hello", static () => CoapResults.Text("hello"));
                map(server);
            },
            options =>
            {
                options.Parameters = EngineWorld.Quick;
                options.UseQBlock(qBlock);
            });

    private protected static CoapClient QuickClient(
        EngineWorld world, Func<CoapDatagram, bool>? losesSent = null, Func<CoapDatagram, bool>? losesReceived = null,
        CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off) =>
        world.Client(
            options =>
            {
                options.Parameters = EngineWorld.Quick;
                options.UseQBlock(qBlock);
            },
            losesSent,
            losesReceived);

    private protected sealed class Losses(int seed, int percent) : IDisposable
    {
        private readonly Random _random = new(seed);
        private int _percent = percent;

        public int Percent
        {
            set => Volatile.Write(ref _percent, value);
        }

        public int Lost { get; private set; }

        public bool Loses(CoapDatagram datagram)
        {
            lock (_random)
            {
                bool loses = _random.Next(100) < Volatile.Read(ref _percent);
                Lost += loses ? 1 : 0;
                return loses;
            }
        }

        public void Dispose() => Percent = 0;
    }
}
