using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Content;

/// <summary>Values in JSON by one call, as System.Net.Http.Json has it.</summary>
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
        _pair.Server.MapGet("/text", static _ => CoapResults.Text("plain")).IgnoreAccept();
        _pair.Server.MapPost("/echo", Tell);
        _pair.Server.MapPut("/echo", Tell);
        _pair.Server.MapPatch("/echo", Tell);
        _pair.Server.MapIPatch("/echo", Tell);
        await _pair.StartAsync();

        static CoapResult Tell(CoapRequest request) =>
            new(CoapCode.Changed, System.Text.Encoding.UTF8.GetBytes($"{request.Code.Name} {request.ContentFormat?.Value} "
                + $"{Convert.ToHexString(request.Payload.Span)}"));
    }

    public async ValueTask DisposeAsync() => await _pair.DisposeAsync();

    [Fact]
    public async Task A_value_is_asked_for_in_its_format_and_read()
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
        Assert.Equal($"POST 50 {s_json}", await TextAsync(() => Client.PostAsJsonAsync(Echo, s_reading, ReadingContext.Default.Reading)));
        Assert.Equal($"POST 50 {s_json}", await TextAsync(() => Client.PostAsJsonAsync(Echo, s_reading)));
        Assert.Equal($"PUT 50 {s_json}", await TextAsync(() => Client.PutAsJsonAsync(Echo, s_reading, CancellationToken.None)));
        Assert.Equal($"PATCH 52 {s_json}", await TextAsync(() => Client.PatchAsJsonAsync(Echo, s_reading)));
        Assert.Equal($"iPATCH 52 {s_json}", await TextAsync(() => Client.IPatchAsJsonAsync(Echo, s_reading)));
    }

    [Fact]
    public async Task A_System_Uri_does_as_well()
    {
        Uri state = new(State);
        Uri echo = new(Echo);
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync(state, ReadingContext.Default.Reading)));
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(state)));
        Assert.Equal(s_reading, await _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(state, options: null)));
        Assert.Equal($"POST 50 {s_json}", await TextAsync(() => Client.PostAsJsonAsync(echo, s_reading, ReadingContext.Default.Reading)));
        Assert.Equal($"PUT 50 {s_json}", await TextAsync(() => Client.PutAsJsonAsync(echo, s_reading)));
        Assert.Equal($"PATCH 52 {s_json}", await TextAsync(() => Client.PatchAsJsonAsync(echo, s_reading, CancellationToken.None)));
        Assert.Equal($"iPATCH 52 {s_json}", await TextAsync(() => Client.IPatchAsJsonAsync(echo, s_reading)));
    }

    [Theory]
    [InlineData(typeof(CoapJsonRequests), 15)]
    [InlineData(typeof(CoapCborRequests), 9)]
    public void Each_request_by_text_has_a_sibling_by_System_Uri(Type requests, int count)
    {
        MethodInfo[] methods = requests.GetMethods(BindingFlags.Public | BindingFlags.Static);
        string[] byUri = [.. methods.Where(static method => method.ToString()!.Contains(typeof(Uri).FullName!, StringComparison.Ordinal))
            .Select(static method => method.ToString()!).Order(StringComparer.Ordinal)];
        string[] expected = [.. methods.Select(static method => method.ToString()!).Except(byUri)
            .Select(static text => text.Replace(" System.String,", $" {typeof(Uri).FullName},", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];
        Assert.Equal(count, expected.Length);
        Assert.Equal(expected, byUri);
    }

    [Fact]
    public async Task Errors_are_those_of_the_answer()
    {
        CoapResponseException missing = await Assert.ThrowsAsync<CoapResponseException>(
            () => _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(CoapEndpointPair.Address + "/missing")));
        Assert.Equal(CoapCode.NotFound, missing.Response.Code);
        await Assert.ThrowsAsync<CoapContentException>(
            () => _pair.RunAsync(() => Client.GetFromJsonAsync<Reading>(CoapEndpointPair.Address + "/text")));
    }

    private async Task<string> TextAsync(Func<Task<CoapResponse>> send) => (await _pair.RunAsync(send)).EnsureSuccess().GetText();
}

/// <summary>A representation for tests.</summary>
/// <param name="Room">Where.</param>
/// <param name="Degrees">How warm.</param>
public sealed record Reading(string Room, double Degrees);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Reading))]
internal sealed partial class ReadingContext : JsonSerializerContext;
