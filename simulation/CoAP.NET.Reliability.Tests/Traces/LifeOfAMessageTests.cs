using System.Runtime.Versioning;
using CoAP.NET.Dtls;
using CoAP.NET.Simulation.Traces;

namespace CoAP.NET.Reliability.Tests.Traces;

/// <summary>Pages of docs list the classes that a message passes at a server; with COAP_WRITE_DOCS=1 this writes the lists.</summary>
[SupportedOSPlatform("linux")]
public sealed class LifeOfAMessageTests
{
    private const string Begin = "<!-- begin trace -->\n";
    private const string End = "<!-- end trace -->";

    // The classes that hand the datagram to the system; what the loop enters afterwards belongs to no stage.
    private static readonly string[] s_sending = ["SendBatch", "SockaddrConverter"];

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
        Check("life-of-a-get.md", MessageTraces.Get(), ["The receive loop"]);

    [Fact]
    public void The_page_lists_the_classes_that_process_a_PUT_of_three_blocks_over_DTLS_in_their_order() =>
        Check("life-of-a-put.md", MessageTraces.Put(), ["The first block", "The second block", "The last block, and the handler"]);

    [Fact]
    public void The_page_lists_the_classes_that_process_a_notification_in_their_order() =>
        Check("life-of-a-notification.md", MessageTraces.Notification(),
            ["The call of Notify", "The run of the handler, and the notification", "The acknowledgement"]);

    private static void Check(string page, IReadOnlyList<IReadOnlyList<string>> phases, string[] headings)
    {
        Assert.NotEmpty(phases[0]);
        PageTable.Check(page, Begin, End, Table(phases, headings));
    }

    private static string Table(IReadOnlyList<IReadOnlyList<string>> phases, string[] headings)
    {
        DocComments library = new(
            typeof(CoapMessage).Assembly, typeof(CoapServer).Assembly, typeof(CoapDtlsOptions).Assembly);
        StringBuilder text = new();
        string stageLevel = phases.Count == 1 ? "##" : "###";
        int number = 0;
        for (int phase = 0; phase < phases.Count; phase++)
        {
            text.Append(CultureInfo.InvariantCulture, $"\n## {headings[phase]}\n");
            if (phases[phase].Count == 0)
            {
                text.Append("\nOnly classes that stand above.\n");
            }

            bool hasTable = false;
            bool isSent = false;
            foreach (string type in phases[phase])
            {
                string summary = library.Of($"T:{type}", "summary");
                int end = summary.IndexOf(". ", StringComparison.Ordinal);
                string name = type[(type.LastIndexOf('.') + 1)..].Split('`')[0];
                bool isSending = s_sending.Contains(name);
                string? heading = s_stages.TryGetValue(name, out string? stage) ? stage : isSent && !isSending ? "After the send" : null;
                if (heading is not null)
                {
                    text.Append(CultureInfo.InvariantCulture, $"\n{stageLevel} {heading}\n");
                    hasTable = false;
                }

                if (!hasTable)
                {
                    text.Append("\n| | class | what it does |\n|---|---|---|\n");
                    hasTable = true;
                }

                isSent = name == s_sending[0] || (isSent && isSending);
                text.Append(CultureInfo.InvariantCulture, $"| {++number} | `{name}` | {(end < 0 ? summary : summary[..(end + 1)])} |\n");
            }
        }

        return text.Append('\n').ToString();
    }
}
