namespace CoAP.NET.Tests.Shared;

/// <summary>What a response is expected to be.</summary>
internal static class ResponseAssert
{
    public static void Gives(this CoapResponse response, CoapCode code) => Assert.Equal(code, response.Code);

    public static void Gives(this CoapMessage response, CoapCode code) => Assert.Equal(code, response.Code);

    public static void Gives(this CoapResult result, CoapCode code) => Assert.Equal(code, result.Code);

    public static void Says(this CoapResponse? response, string text) => Assert.Equal(text, response?.GetText());

    public static async Task Gives(this Task<CoapResponse> response, CoapCode code) => (await response).Gives(code);

    public static async Task Says(this Task<CoapResponse> response, string text) => (await response).Says(text);
}
