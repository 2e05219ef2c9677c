namespace CoAP.NET.Channels;

/// <summary>Where a shard sends what was decided under its lock: the output of the outbound Messaging block.</summary>
internal delegate void OutboundPort(in CoapOutbound item);

/// <summary>Where a shard raises what became of our messages: the output of the inbound Messaging block.</summary>
internal delegate void InboundPort(in CoapInbound item);
