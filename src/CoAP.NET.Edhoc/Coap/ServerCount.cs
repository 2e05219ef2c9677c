namespace CoAP.NET.Edhoc.Coap;

/// <summary>The counted events of a server.</summary>
internal enum ServerCount
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
