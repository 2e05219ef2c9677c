namespace CoAP.NET.Exchanges;

/// <summary>Whoever keeps tokens for the blocks of a body (RFC 9177): what comes for them are no notifications.</summary>
internal interface ITransferOwner : IStandingOwner;
