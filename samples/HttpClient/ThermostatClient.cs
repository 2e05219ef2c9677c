using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;

namespace HttpClientSample;

/// <summary>The typed client. Nothing in it is of CoAP.</summary>
/// <param name="http">Made by the factory.</param>
internal sealed class ThermostatClient(HttpClient http)
{
    private static readonly Uri s_settings = new("/settings", UriKind.Relative);

    private EntityTagHeaderValue? _tag;

    public async Task<Settings> GetAsync()
    {
        using HttpResponseMessage response = (await http.GetAsync(s_settings)).EnsureSuccessStatusCode();
        _tag = response.Headers.ETag;
        return (await response.Content.ReadFromJsonAsync<Settings>())!;
    }

    public async Task<HttpStatusCode> SetAsync(Settings settings)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, s_settings) { Content = JsonContent.Create(settings) };
        request.Headers.IfMatch.Add(_tag!);
        using HttpResponseMessage response = await http.SendAsync(request);
        _tag = response.Headers.ETag ?? _tag;
        return response.StatusCode;
    }
}
