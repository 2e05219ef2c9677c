using System.Net;

namespace CoAP.NET.Cli.Bench;

/// <summary>What the requests of a plan look like.</summary>
internal sealed class RequestShape
{
    // The size of the blocks that bodies go in over datagrams (RFC 7959).
    private const int BlockBytes = 1024;

    private readonly LoadPlan _plan;
    private readonly CoapMethod _method;
    private readonly CoapContent? _content;

    public RequestShape(LoadPlan plan)
    {
        _plan = plan;
        _method = (CoapMethod)PlanRules.CodeOf(plan.Method)!.Value.Value;
        _content = plan.Payload is { } text ? CoapContent.Text(text)
            : plan.PayloadBytes is { } size ? CoapContent.Binary(new byte[size], CoapContentFormat.OctetStream)
            : null;
    }

    /// <summary>Makes a request, to be sent as often as one likes.</summary>
    /// <param name="source">The address that it leaves from; null for whatever the system chooses.</param>
    public CoapRequest Make(IPAddress? source) => new(_method, _plan.Uri)
    {
        Content = _content,
        Confirmable = _plan.Confirmable,
        LocalAddress = source,
        Timeout = TimeSpan.FromSeconds(_plan.TimeoutSeconds),
    };

    /// <summary>How many messages a request took beyond the first one, when its bodies went in blocks of 1,024 bytes.</summary>
    /// <param name="answerBytes">The size of the body of the answer.</param>
    public long FurtherMessages(int answerBytes)
    {
        int requestBytes = _content?.Bytes.Length ?? 0;
        return Math.Max(0, (requestBytes - 1) / BlockBytes) + Math.Max(0, (answerBytes - 1) / BlockBytes);
    }
}
