using System.Runtime.Versioning;
using CoAP.NET.Simulation.Traces;

namespace CoAP.NET.Reliability.Tests.Traces;

/// <summary>docs/life-of-a-get.md lists the classes that a GET passes; with COAP_WRITE_DOCS=1 this writes the list.</summary>
[SupportedOSPlatform("linux")]
public sealed class LifeOfAGetTests
{
    private const string Begin = "<!-- begin trace -->\n";
    private const string End = "<!-- end trace -->";

    // The block with which each half of a stage begins.
    private static readonly Dictionary<string, string> s_stages = new()
    {
        ["TransportInboundBlock"] = "Transport, inbound",
        ["ChannelInboundBlock"] = "Channel, inbound",
        ["SerializerInboundBlock"] = "Serializer, inbound",
        ["MessagingInboundBlock"] = "Messaging, inbound",
        ["ExchangesInboundBlock"] = "Exchanges, inbound",
        ["ResourceInboundBlock"] = "Resource, and the handler",
        ["ExchangesOutboundBlock"] = "Exchanges, outbound",
        ["MessagingOutboundBlock"] = "Messaging, outbound",
        ["SerializerOutboundBlock"] = "Serializer, outbound",
        ["ChannelOutboundBlock"] = "Channel, outbound",
        ["TransportOutboundBlock"] = "Transport, outbound",
    };

    [Fact]
    public void The_page_lists_the_classes_that_process_a_GET_in_their_order() =>
        PageTable.Check("life-of-a-get.md", Begin, End, Table());

    private static string Table()
    {
        DocComments comments = new(typeof(CoapMessage).Assembly);
        StringBuilder text = new("\n## The receive loop\n\n| | class | what it does |\n|---|---|---|\n");
        int number = 0;
        foreach (string type in GetTrace.Run())
        {
            string summary = comments.Of($"T:{type}", "summary");
            int end = summary.IndexOf(". ", StringComparison.Ordinal);
            string name = type[(type.LastIndexOf('.') + 1)..].Split('`')[0];
            if (s_stages.TryGetValue(name, out string? stage))
            {
                text.Append(CultureInfo.InvariantCulture, $"\n## {stage}\n\n| | class | what it does |\n|---|---|---|\n");
            }

            text.Append(CultureInfo.InvariantCulture, $"| {++number} | `{name}` | {(end < 0 ? summary : summary[..(end + 1)])} |\n");
        }

        return text.Append('\n').ToString();
    }
}
