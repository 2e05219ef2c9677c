namespace CoAP.NET.Edhoc.Coap;

/// <summary>The counted events of a server.</summary>
internal enum EdhocServerCounter
{
    Begun,
    Established,
    Combined,
    Failed,
    Abandoned,
    Challenges,
    Busy,
    Refused,
}
