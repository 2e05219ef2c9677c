using System.Net.Http.Json;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The calls of the page, without a browser.</summary>
internal sealed class ExplorerPage : IDisposable
{
    private readonly string? _token;

    public ExplorerPage(CoapLocalExplorer explorer)
        : this(new Uri(explorer.Address.GetLeftPart(UriPartial.Path)), explorer.Address.Fragment.Split('=')[1])
    {
    }

    public ExplorerPage(Uri address, string? token)
    {
        _token = token;
        Http = new HttpClient { BaseAddress = address };
    }

    public HttpClient Http { get; }

    public string? Token => _token;

    public void Dispose() => Http.Dispose();

    /// <summary>Calls, and gives the whole answer.</summary>
    public Task<HttpResponseMessage> CallAsync(string name, object body, params (string Name, string Value)[] headers) =>
        SendAsync(name, JsonContent.Create(body), headers);

    /// <summary>Calls with any content, and gives the whole answer.</summary>
    public async Task<HttpResponseMessage> SendAsync(string name, HttpContent content, params (string Name, string Value)[] headers)
    {
        using HttpRequestMessage request = Make(name, content, headers);
        return await Http.SendAsync(request);
    }

    /// <summary>Calls, and gives the JSON of a good answer.</summary>
    public async Task<JsonElement> AskAsync(string name, object body)
    {
        using HttpResponseMessage response = await CallAsync(name, body);
        string text = await response.Content.ReadAsStringAsync();
        Assert.True(response.IsSuccessStatusCode, text);
        return JsonDocument.Parse(text).RootElement;
    }

    /// <summary>Calls, and gives the problem of a bad answer.</summary>
    public async Task<(int Status, string Title)> RefusedAsync(string name, object body, params (string Name, string Value)[] headers)
    {
        using HttpResponseMessage response = await CallAsync(name, body, headers);
        string text = await response.Content.ReadAsStringAsync();
        Assert.False(response.IsSuccessStatusCode, text);
        return ((int)response.StatusCode, JsonDocument.Parse(text).RootElement.TextOf("title")!);
    }

    /// <summary>Calls, and gives the events as they come.</summary>
    public async IAsyncEnumerable<JsonElement> EventsAsync(string name, object body, HttpContent? content = null)
    {
        using HttpRequestMessage request = Make(name, content ?? JsonContent.Create(body), []);
        using HttpResponseMessage response = await Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        using StreamReader reader = new(await response.Content.ReadAsStreamAsync(), Encoding.UTF8);
        if (!response.IsSuccessStatusCode)
        {
            Assert.Fail(await reader.ReadToEndAsync());
        }

        while (await reader.ReadLineAsync() is { } line)
        {
            yield return JsonDocument.Parse(line).RootElement;
        }
    }

    /// <summary>All events until the end.</summary>
    public async Task<List<JsonElement>> RunAsync(string name, object body, HttpContent? content = null)
    {
        List<JsonElement> all = [];
        await foreach (JsonElement one in EventsAsync(name, body, content))
        {
            all.Add(one);
        }

        return all;
    }

    /// <summary>The answer to a request.</summary>
    public async Task<JsonElement> ResponseAsync(object body, HttpContent? content = null) =>
        (await RunAsync("request", body, content)).Single(one => Kind(one) == "response");

    public static string Kind(JsonElement one) => one.TextOf("kind")!;

    public static JsonElement Payload(JsonElement response) => response.GetProperty("payload");

    private HttpRequestMessage Make(string name, HttpContent content, (string Name, string Value)[] headers)
    {
        HttpRequestMessage request = new(HttpMethod.Post, $"api/{name}") { Content = content };
        if (_token is not null)
        {
            request.Headers.Add("X-CoAP-Explorer", _token);
        }

        foreach ((string header, string value) in headers)
        {
            request.Headers.Remove(header);
            request.Headers.TryAddWithoutValidation(header, value);
        }

        return request;
    }
}
