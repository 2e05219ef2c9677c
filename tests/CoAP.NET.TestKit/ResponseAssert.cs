namespace CoAP.NET.Tests.Shared;

/// <summary>What a response is expected to be.</summary>
internal static class ResponseAssert
{
    public static async Task Gives(this Task<CoapResponse> response, CoapCode code) => Assert.Equal(code, (await response).Code);

    public static async Task Says(this Task<CoapResponse> response, string text) => Assert.Equal(text, (await response).GetText());
}
