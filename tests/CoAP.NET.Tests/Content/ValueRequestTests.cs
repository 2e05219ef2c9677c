using System.Text.Json;
using System.Text.Json.Serialization;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Content;

/// <summary>Values in JSON as bodies.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ValueRequestTests : IAsyncLifetime
{
    private const string State = CoapEndpointPair.Address + "/state";
    private const string Echo = CoapEndpointPair.Address + "/echo";

    private static readonly Reading s_reading = new("kitchen", 21.5);
    private static readonly string s_json = Convert.ToHexString("{\"room\":\"kitchen\",\"degrees\":21.5}"u8);

    private readonly CoapEndpointPair _pair = new();

    private CoapClient Client => _pair.Client;

    public async ValueTask InitializeAsync()
    {
        _pair.Server.MapGet("/state", static request => request.Accept == CoapContentFormat.Json
            ? CoapResults.Content(CoapContent.Json(s_reading, ReadingContext.Default.Reading))
            : CoapResults.NotAcceptable());
        _pair.Server.MapGet("/text", static _ => CoapResults.Text("plain")).AllowAnyAccept();
        _pair.Server.MapPost("/echo", Report);
        _pair.Server.MapPut("/echo", Report);
        _pair.Server.MapPatch("/echo", Report);
        _pair.Server.MapIPatch("/echo", Report);
        await _pair.StartAsync();

        static CoapResult Report(CoapRequestContext request) =>
            new(CoapCode.Changed, Encoding.UTF8.GetBytes($"{request.Code.Name} {request.ContentFormat?.Value} "
                + $"{Convert.ToHexString(request.Payload.Span)}"));
    }

    public async ValueTask DisposeAsync() => await _pair.DisposeAsync();

    [Fact]
    public async Task GetFromJsonAsync_requests_JSON_and_reads_the_value()
    {
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync(State, ReadingContext.Default.Reading)));
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(State)));
        Assert.Equal(
            s_reading, await _pair.RunAsync(
                () => Client.GetFromJsonAsync<Reading>(State, new JsonSerializerOptions(JsonSerializerDefaults.Web))));
    }

    [Fact]
    public async Task A_value_is_sent_in_its_format()
    {
        CoapContent change = CoapContent.Json(s_reading, ReadingContext.Default.Reading, CoapContentFormat.MergePatch);
        Assert.Equal(
            $"POST 50 {s_json}",
            await TextAsync(() => Client.PostAsync(Echo, CoapContent.Json(s_reading, ReadingContext.Default.Reading))));
        Assert.Equal($"POST 50 {s_json}", await TextAsync(() => Client.PostAsync(Echo, CoapContent.Json(s_reading))));
        Assert.Equal($"PUT 50 {s_json}", await TextAsync(() => Client.PutAsync(Echo, CoapContent.Json(s_reading), CancellationToken.None)));
        Assert.Equal($"PATCH 52 {s_json}", await TextAsync(() => Client.PatchAsync(Echo, change)));
        Assert.Equal($"iPATCH 52 {s_json}", await TextAsync(() => Client.IPatchAsync(
            Echo, CoapContent.Json(s_reading, format: CoapContentFormat.MergePatch))));
    }

    [Fact]
    public async Task A_CoapUri_is_accepted_as_a_target()
    {
        CoapUri state = new(State);
        CoapUri echo = new(Echo);
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync(state, ReadingContext.Default.Reading)));
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(state)));
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(state, options: null)));
        Assert.Equal($"PUT 50 {s_json}", await TextAsync(() => Client.PutAsync(echo, CoapContent.Json(s_reading))));
    }

    [Fact]
    public async Task GetFromJsonAsync_throws_for_an_error_response_and_for_another_format()
    {
        CoapResponseException missing = await Assert.ThrowsAsync<CoapResponseException>(
            () => _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(CoapEndpointPair.Address + "/missing")));
        Assert.Equal(CoapCode.NotFound, missing.Response.Code);
        await Assert.ThrowsAsync<CoapContentException>(
            () => _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(CoapEndpointPair.Address + "/text")));
    }

    private async Task<string> TextAsync(Func<Task<CoapResponse>> send) => (await _pair.RunAsync(send)).EnsureSuccess().GetText();
}
