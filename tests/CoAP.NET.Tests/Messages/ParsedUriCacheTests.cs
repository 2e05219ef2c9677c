using CoAP.NET.Uris;

namespace CoAP.NET.Tests.Messages;

/// <summary>The URIs that were read lately.</summary>
public sealed class ParsedUriCacheTests
{
    [Fact]
    public void A_URI_is_parsed_once_and_then_found_by_its_text_and_by_its_bytes()
    {
        ParsedUriCache table = new();
        int read = 0;
        CoapUri Read(string text)
        {
            read++;
            return CoapUri.Parse(text);
        }

        Assert.False(table.TryFind("coap://one.example/a"u8, out _));
        CoapUri uri = table.Find("coap://one.example/a", Read);
        Assert.Same(uri, table.Find("coap://one.example/a", Read));
        Assert.True(table.TryFind("coap://one.example/a"u8, out CoapUri? known));
        Assert.Same(uri, known);
        Assert.Equal(1, read);
    }

    [Fact]
    public void A_URI_that_differs_is_long_is_not_ASCII_or_has_a_zone_is_not_found()
    {
        ParsedUriCache table = new();
        string longer = $"coap://one.example/{new string('a', 200)}/{new string('a', 200)}";
        foreach (string text in (string[])["coap://one.example/a", longer, "coap://one.example/\u00e4", "coap://[fe80::1%25lo]/"])
        {
            table.Find(text, CoapUri.Parse);
        }

        Assert.True(table.TryFind("coap://one.example/a"u8, out _));
        Assert.False(table.TryFind("coap://one.example/b"u8, out _));
        Assert.False(table.TryFind("coap://one.example/"u8, out _));
        Assert.False(table.TryFind(default, out _));
        Assert.False(table.TryFind(Encoding.UTF8.GetBytes(longer), out _));
        Assert.False(table.TryFind("coap://one.example/\u00e4"u8, out _));
        Assert.False(table.TryFind("coap://[fe80::1%25lo]/"u8, out _));
    }

    [Fact]
    public void Each_text_maps_to_its_own_URI_however_many_there_are()
    {
        ParsedUriCache table = new();
        for (int i = 0; i < 5000; i++)
        {
            string text = $"coap://one.example/{i}";
            Assert.Equal(text, table.Find(text, CoapUri.Parse).ToString());
            Assert.True(table.TryFind(Encoding.UTF8.GetBytes(text), out CoapUri? known));
            Assert.Equal(text, known.ToString());
            string before = $"coap://one.example/{i / 2}";
            Assert.Equal(before, table.Find(before, CoapUri.Parse).ToString());
        }
    }
}
