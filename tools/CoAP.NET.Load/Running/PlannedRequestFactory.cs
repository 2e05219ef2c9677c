using System.Net;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

internal sealed class PlannedRequestFactory
{
    // The size of the blocks of bodies over datagrams (RFC 7959).
    private const int BlockBytes = 1024;

    private readonly LoadPlan _plan;
    private readonly CoapMethod _method;
    private readonly CoapContent? _content;

    public PlannedRequestFactory(LoadPlan plan)
    {
        _plan = plan;
        _method = (CoapMethod)PlanRules.CodeOf(plan.Method)!.Value.Value;
        _content = plan.Payload is { } text ? CoapContent.Text(text)
            : plan.PayloadBytes is { } size ? CoapContent.Binary(new byte[size], CoapContentFormat.OctetStream)
            : null;
    }

    /// <summary>Creates a request, which may be sent repeatedly.</summary>
    /// <param name="source">Its source address; null for the system's choice.</param>
    public CoapRequest Make(IPAddress? source) => new(_method, _plan.Uri)
    {
        Content = _content,
        Confirmable = _plan.Confirmable,
        LocalAddress = source,
        Timeout = TimeSpan.FromSeconds(_plan.TimeoutSeconds),
    };

    /// <summary>Returns the number of messages of a request beyond the first one, with bodies in blocks of 1,024 bytes.</summary>
    public long FurtherMessages(int answerBytes)
    {
        int requestBytes = _content?.Bytes.Length ?? 0;
        return Math.Max(0, (requestBytes - 1) / BlockBytes) + Math.Max(0, (answerBytes - 1) / BlockBytes);
    }
}
