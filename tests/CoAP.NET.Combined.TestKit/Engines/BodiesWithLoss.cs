using CoAP.NET.QBlock;

namespace CoAP.NET.Tests.Engines;

/// <summary>Bodies in blocks over every engine that carries datagrams, where some are lost.</summary>
public abstract class BodiesWithLoss<TEngines> : LossyEngines<TEngines>
    where TEngines : IEngineList
{
    private static readonly byte[] s_body = [.. Enumerable.Range(0, 20_000).Select(static i => (byte)(i ^ (i >> 8)))];

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Engines))]
    public Task Block_transfers_over_a_lossy_path_complete_in_both_directions(string engine) => BodiesAsync(engine, CoapQBlockPolicy.Off);

    [Theory]
    [MemberData(nameof(Engines))]
    public Task Q_Block_transfers_over_a_lossy_path_complete_in_both_directions(string engine) =>
        BodiesAsync(engine, CoapQBlockPolicy.AllowUnsecured);

    private static async Task BodiesAsync(string engine, CoapQBlockPolicy qBlock)
    {
        await using EngineWorld world = await StartAsync(engine, static server =>
        {
            server.MapGet("/body", static () => CoapResults.Bytes(s_body));
            server.MapPut("/body", static request => CoapResults.Text($"{request.Payload.Span.SequenceEqual(s_body)}"));
        }, qBlock);
        using Losses losses = new(seed: 5, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses, qBlock);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 10;
        bool isConfirmable = qBlock == CoapQBlockPolicy.Off;
        CoapRequest put = new(CoapMethod.Put, world.Uri("/body")) { Confirmable = isConfirmable, Content = CoapContent.Binary(s_body) };
        await client.SendAsync(put).WaitAsync(EngineWorld.Hang).Says("True");
        CoapRequest get = new(CoapMethod.Get, world.Uri("/body")) { Confirmable = isConfirmable };
        Assert.True((await client.SendAsync(get).WaitAsync(EngineWorld.Hang)).Payload.Span.SequenceEqual(s_body));
        Assert.True(losses.Lost > 0);
        losses.Percent = 0;
        await Eventually.IsTrueAsync(() => world.Server.RequestsServed == 0);
        if (isConfirmable)
        {
            // Of Non-confirmable messages nobody says that they came; they are remembered for NON_LIFETIME.
            await world.AssertNothingLeftAsync();
        }
    }
}
