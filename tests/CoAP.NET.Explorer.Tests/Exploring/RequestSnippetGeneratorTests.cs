namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The same request in other words.</summary>
public sealed class RequestSnippetGeneratorTests(ExplorerWorld world) : IClassFixture<ExplorerWorld>
{
    [Fact]
    public async Task A_request_is_shown_as_code_for_the_tool_for_libcoap_and_for_CSharp()
    {
        JsonElement code = await world.Page.AskAsync("code", new
        {
            method = "PUT",
            uri = "coap://192.0.2.1/lamp?id=1",
            confirmable = false,
            blockSize = 64,
            options = new[] { new { number = 12, value = "50" }, new { number = 17, value = "60" }, new { number = 4, value = "0a0b" } },
            payload = new { kind = "json", value = "{\"on\":true}" },
        });

        Assert.Equal(
            "coap put 'coap://192.0.2.1/lamp?id=1' --non --accept 60 --content-format 50 --option 4=0x0a0b --block-size 64 "
                + "--payload '{\"on\":true}'",
            code.TextOf("coap"));
        Assert.Equal(
            "coap-client -m put -N -A 60 -t 50 -O 4,0x0a0b -b 64 -e '{\"on\":true}' 'coap://192.0.2.1/lamp?id=1'",
            code.TextOf("coapClient"));
        string csharp = code.TextOf("csharp")!;
        csharp.Begins("using CoAP.NET;\n\nawait using CoapClient client");
        csharp.Mentions("new(CoapMethod.Put, \"coap://192.0.2.1/lamp?id=1\")");
        csharp.Mentions("Confirmable = false,");
        csharp.Mentions("request.Options.Add(4, Convert.FromHexString(\"0A0B\"));");
    }

    [Fact]
    public async Task Payloads_and_URIs_are_escaped_in_shell_commands()
    {
        JsonElement code = await world.Page.AskAsync("code", new
        {
            method = "PUT",
            uri = "coap://192.0.2.1/a'b$(touch x)",
            payload = new { kind = "text", value = "'; touch y; \"\\ \n" },
        });

        code.TextOf("coap").Mentions("'\\''; touch y; \"\\ \n'");
        Assert.DoesNotContain("$(touch", code.TextOf("coap")!.Replace("%24(touch", "")
            .Split('\'')[0], Ordinal);
        code.TextOf("csharp")!.Split("Content = ")[1].Split('\n')[0].Mentions("\\n\"),");
    }

    [Fact]
    public async Task Keys_are_never_included_in_the_code()
    {
        JsonElement code = await world.Page.AskAsync("code", new
        {
            method = "GET",
            uri = "coaps://192.0.2.1/",
            security = new { identity = "me", key = "the secret" },
        });

        code.ToString().Omits("the secret");
        code.TextOf("csharp").Begins("using CoAP.NET;\nusing CoAP.NET.Dtls;\n\n");
        code.TextOf("coap").Mentions("--psk IDENTITY:KEY");
    }

    [Fact]
    public async Task Bytes_that_are_not_text_are_written_as_hexadecimal_or_escaped_bytes()
    {
        JsonElement code = await world.Page.AskAsync("code", new
        {
            method = "PUT",
            uri = "coap://192.0.2.1/",
            payload = new { kind = "hex", value = "00ff0a" },
        });

        code.TextOf("coap").Ends("--hex 00ff0a");
        code.TextOf("coapClient").Begins("printf '\\000\\377\\012' | coap-client");
    }
}
