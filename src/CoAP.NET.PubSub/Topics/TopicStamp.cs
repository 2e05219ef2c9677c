namespace CoAP.NET.PubSub.Topics;

/// <summary>Which question of which broker it is, so that one that comes twice is known.</summary>
/// <param name="Broker">The broker that asks: a random number of this start of it.</param>
/// <param name="Number">Rises with each question of the broker.</param>
internal readonly record struct TopicStamp(ulong Broker, ulong Number);
