using CoAP.NET.Uris;

namespace CoAP.NET.Tests.Uris;

/// <summary>What was parsed lately, by its text.</summary>
public sealed class RecentTextCacheTests
{
    [Fact]
    public void A_value_is_found_by_its_text_and_by_its_bytes()
    {
        RecentTextCache<CoapUri> cache = new();
        Assert.False(cache.TryFind("coap://one.example/a"u8, out _));
        CoapUri uri = CoapUri.Parse("coap://one.example/a");
        cache.Note("coap://one.example/a", uri);

        Assert.True(cache.TryFind("coap://one.example/a", out CoapUri? known));
        Assert.Same(uri, known);
        Assert.True(cache.TryFind("coap://one.example/a"u8, out known));
        Assert.Same(uri, known);
    }

    [Fact]
    public void A_text_that_differs_is_long_or_is_not_ASCII_is_not_found()
    {
        RecentTextCache<CoapUri> cache = new();
        string longer = $"coap://one.example/{new string('a', 200)}/{new string('a', 200)}";
        foreach (string text in (string[])["coap://one.example/a", longer, "coap://one.example/\u00e4"])
        {
            cache.Note(text, CoapUri.Parse(text));
        }

        Assert.True(cache.TryFind("coap://one.example/a"u8, out _));
        Assert.False(cache.TryFind("coap://one.example/b"u8, out _));
        Assert.False(cache.TryFind("coap://one.example/"u8, out _));
        Assert.False(cache.TryFind(ReadOnlySpan<byte>.Empty, out _));
        Assert.False(cache.TryFind(longer, out _));
        Assert.False(cache.TryFind(Encoding.UTF8.GetBytes(longer), out _));
        Assert.False(cache.TryFind("coap://one.example/\u00e4"u8, out _));
    }

    [Fact]
    public void Each_text_has_its_own_value_however_many_there_are()
    {
        RecentTextCache<string> cache = new();
        for (int i = 0; i < 5000; i++)
        {
            string text = $"coap://one.example/{i}";
            cache.Note(text, text);
            Assert.True(cache.TryFind(Encoding.UTF8.GetBytes(text), out string? known));
            Assert.Equal(text, known);
            string before = $"coap://one.example/{i / 2}";
            Assert.True(!cache.TryFind(before, out known) || known == before);
        }
    }
}
