/// <summary>The type of messages of the codec. Put yours here.</summary>
/// <param name="Type">The type: 0 to 3.</param>
/// <param name="Code">The code.</param>
/// <param name="Id">The Message ID.</param>
/// <param name="Token">The token, up to 8 bytes.</param>
/// <param name="Options">Numbers and values, by number.</param>
/// <param name="Payload">The payload.</param>
public sealed record MyMessage(
    int Type, byte Code, ushort Id, byte[] Token, IReadOnlyList<(int Number, byte[] Value)> Options, byte[] Payload);
