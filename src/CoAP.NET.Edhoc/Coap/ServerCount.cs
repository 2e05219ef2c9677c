namespace CoAP.NET.Edhoc.Coap;

/// <summary>What a server counts.</summary>
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
