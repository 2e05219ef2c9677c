namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>Values in CBOR by one call.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CborRequestTests : IAsyncLifetime
{
    private const string State = CoapEndpointPair.Address + "/state";
    private const string Echo = CoapEndpointPair.Address + "/echo";

    private static readonly Lamp s_lamp = new(true);

    private readonly CoapEndpointPair _pair = new();

    private CoapClient Client => _pair.Client;

    public async ValueTask InitializeAsync()
    {
        _pair.Server.MapGet("/state", request => request.Accept == CoapContentFormat.Cbor
            ? CoapResults.Cbor(s_lamp, LampContext.Default.Lamp)
            : CoapResults.NotAcceptable());
        _pair.Server.MapGet("/text", _ => CoapResults.Text("plain")).AllowAnyAccept();
        _pair.Server.MapPost("/echo", Report);
        _pair.Server.MapPut("/echo", Report);
        await _pair.StartAsync();

        static CoapResult Report(CoapRequestContext request) =>
            CoapResults.Text($"{request.Code.Name} {request.ContentFormat?.Value} {Wire.Hex(request.Payload.Span)}");
    }

    public async ValueTask DisposeAsync() => await _pair.DisposeAsync();

    [Fact]
    public async Task A_value_is_requested_in_its_format_and_read()
    {
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync(State, LampContext.Default.Lamp)));
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(State)));
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(State, options: null)));
    }

    [Fact]
    public async Task A_value_is_sent_in_its_format()
    {
        const string cbor = "a1626f6ef5"; // {"on": true}
        Assert.Equal($"POST 60 {cbor}", await TextAsync(() => Client.PostAsync(Echo, CoapContent.Cbor(s_lamp))));
        Assert.Equal($"POST 60 {cbor}", await TextAsync(() => Client.PostAsync(Echo, CoapContent.Cbor(s_lamp, LampContext.Default.Lamp))));
        Assert.Equal($"PUT 60 {cbor}", await TextAsync(() => Client.PutAsync(Echo, CoapContent.Cbor(s_lamp, LampContext.Default.Lamp))));
        Assert.Equal($"PUT 60 {cbor}", await TextAsync(() => Client.PutAsync(Echo, CoapContent.Cbor(s_lamp), CancellationToken.None)));
    }

    [Fact]
    public async Task A_CoapUri_is_accepted()
    {
        const string cbor = "a1626f6ef5";
        CoapUri state = new(State);
        CoapUri echo = new(Echo);
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync(state, LampContext.Default.Lamp)));
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(state)));
        Assert.Equal(s_lamp, await _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(state, options: null)));
        Assert.Equal($"POST 60 {cbor}", await TextAsync(() => Client.PostAsync(echo, CoapContent.Cbor(s_lamp), CancellationToken.None)));
        Assert.Equal($"PUT 60 {cbor}", await TextAsync(() => Client.PutAsync(echo, CoapContent.Cbor(s_lamp))));
        await Assert.ThrowsAsync<ArgumentNullException>(() => Client.PutAsync((CoapUri)null!, CoapContent.Cbor(s_lamp)));
    }

    [Fact]
    public async Task Errors_have_the_response_code()
    {
        CoapResponseException missing = await Assert.ThrowsAsync<CoapResponseException>(
            () => _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(CoapEndpointPair.Address + "/missing")));
        Assert.Equal(CoapCode.NotFound, missing.Response.Code);
        await Assert.ThrowsAsync<CoapContentException>(
            () => _pair.RunAsync(() => Client.GetFromCborAsync<Lamp>(CoapEndpointPair.Address + "/text")));
    }

    private async Task<string> TextAsync(Func<Task<CoapResponse>> send) => (await _pair.RunAsync(send)).EnsureSuccess().GetText();
}
