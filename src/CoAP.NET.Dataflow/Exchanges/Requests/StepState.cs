namespace CoAP.NET.Requests;

/// <summary>What a step keeps with a request until its response arrives.</summary>
internal abstract class StepState;
